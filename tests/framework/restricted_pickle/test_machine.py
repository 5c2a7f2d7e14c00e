"""Every opcode of the reader of pickles."""

import pickletools
import struct
from collections import OrderedDict

import numpy as np
import pytest

from tests.support.pickles import load, refused, same

U4, U8 = struct.Struct("<I").pack, struct.Struct("<Q").pack
BYTES = b"cnumpy\nndarray\n"
# The result of each opcode, or its refusal.
OPCODES = {
    "INT": [(b"I7\n.", 7), (b"I01\n.", True), (b"I-3\n.", -3), (b"I1_0\n.", "for a number")],
    "BININT": [(b"J\xff\xff\xff\xff.", -1), (b"J\0.", "ends too early")],
    "BININT1": [(b"K\xff.", 255), (b"K", "ends too early")],
    "BININT2": [(b"M\x01\x02.", 513), (b"M\x01", "ends too early")],
    "LONG": [(b"L7L\n.", 7), (b"L%b\n." % (b"9" * 4301), "for a number"), (b"LxL\n.", "number")],
    "LONG1": [(b"\x8a\x01\xff.", -1), (b"\x8a\0.", 0), (b"\x8a\x05\0.", "5 bytes should follow")],
    "LONG4": [(b"\x8b\x01\0\0\0\x05.", 5), (b"\x8b\xff\xff\xff\xff.", "4294967295 bytes should")],
    "STRING": [
        (b"S'a\\x00\\n\\''\n.", "a\0\n'"),
        (b"Sa\n.", "quotation"),
        (b"S'\\q'\n.", "escape"),
        (b"S'\\777'\n.", "escape"),
        (b"S'\n.", "quotation"),
        (b"S'a'", "middle of a line"),
    ],
    "BINSTRING": [(b"T\x01\0\0\0\xe9.", "\xe9"), (b"T\xff\xff\xff\xff.", "bytes should follow")],
    "SHORT_BINSTRING": [(b"U\x01\xe9.", "\xe9"), (b"U\x09a.", "9 bytes should follow")],
    "BINBYTES": [(b"B\x01\0\0\0a.", b"a"), (b"B\xff\xff\xff\x7f.", "bytes should follow")],
    "SHORT_BINBYTES": [(b"C\x01a.", b"a"), (b"C\x05a.", "5 bytes should follow")],
    "BINBYTES8": [(b"\x8e" + U8(1) + b"a.", b"a"), (b"\x8e" + U8(2**63) + b"a.", "should follow")],
    "BYTEARRAY8": [(b"\x96" + U8(1) + b"a.", bytearray(b"a")), (b"\x96" + U8(2**40), "should f")],
    "NEXT_BUFFER": [(b"\x97.", "outside the file")],
    "READONLY_BUFFER": [(b"N\x98.", "outside the file")],
    "NONE": [(b"N.", None)],
    "NEWTRUE": [(b"\x88.", True)],
    "NEWFALSE": [(b"\x89.", False)],
    "UNICODE": [(b"V\\u20ac\n.", "\u20ac"), (b"V\\u20\n.", "damaged text")],
    "SHORT_BINUNICODE": [(b"\x8c\x01a.", "a"), (b"\x8c\x01\xff.", "not UTF-8")],
    "BINUNICODE": [(b"X\x01\0\0\0a.", "a"), (b"X\xff\xff\xff\xffa.", "bytes should follow")],
    "BINUNICODE8": [(b"\x8d" + U8(3) + b"\xed\xa0\x80.", "\ud800"), (b"\x8d" + U8(9), "should f")],
    "FLOAT": [(b"F1.5\n.", 1.5), (b"F1e3\n.", 1e3), (b"F1_0\n.", "number"), (b"Finf\n.", np.inf)],
    "BINFLOAT": [(b"G?\xf8\0\0\0\0\0\0.", 1.5), (b"G?\xf8.", "ends too early")],
    "EMPTY_LIST": [(b"].", [])],
    "APPEND": [(b"]Na.", [None]), (b"}Na.", "a list, but there is none"), (b"Na.", "none")],
    "APPENDS": [(b"](NNe.", [None, None]), (b"N(Ne.", "list, but there is none"), (b"e.", "mark")],
    "LIST": [(b"(NNl.", [None, None]), (b"l.", "since a mark, but there is none")],
    "EMPTY_TUPLE": [(b").", ())],
    "TUPLE": [(b"(NNt.", (None, None)), (b"t.", "mark, but there is none")],
    "TUPLE1": [(b"N\x85.", (None,)), (b"\x85.", "empty stack")],
    "TUPLE2": [(b"NK\x01\x86.", (None, 1)), (b"N\x86.", "empty stack")],
    "TUPLE3": [(b"NK\x01K\x02\x87.", (None, 1, 2)), (b"NN\x87.", "empty stack")],
    "EMPTY_DICT": [(b"}.", {})],
    "DICT": [(b"(NNd.", {None: None}), (b"(Nd.", "key without a value"), (b"d.", "mark")],
    "SETITEM": [
        (b"}NNs.", {None: None}),
        (b"]NNs.", "dict, but there is none"),
        (b"Ns.", "empty"),
    ],
    "SETITEMS": [(b"}(NNu.", {None: None}), (b"}(Nu.", "key without a value"), (b"](NNu.", "dict")],
    "EMPTY_SET": [(b"\x8f.", set())],
    "ADDITEMS": [(b"\x8f(N\x90.", {None}), (b"](N\x90.", "set, but"), (b"(\x91(N\x90.", "frozen")],
    "FROZENSET": [
        (b"(N\x91.", frozenset({None})),
        (b"(]\x91.", "list as a key"),
        (b"\x91.", "mark"),
    ],
    "POP": [(b"NN0.", None), (b"N(0.", None), (b"0.", "mark, but there is none")],
    "DUP": [(b"]2\x86.", ([], [])), (b"2.", "empty stack")],
    "MARK": [(b"(N.", "more or less than one value"), (b"((((", "ends too early")],
    "POP_MARK": [(b"N(NN1.", None), (b"N1.", "mark, but there is none")],
    "GET": [
        (b"Np5\n0g5\n.", "stores a value as number 5"),
        (b"Np0\n0g0\n.", None),
        (b"g-1\n.", "-1"),
    ],
    "BINGET": [(b"Nq\x000h\0.", None), (b"h\0.", "number 0, which it never stored")],
    "LONG_BINGET": [(b"Nr\0\0\0\x000j\0\0\0\0.", None), (b"j\xff\xff\xff\xff.", "never stored")],
    "PUT": [(b"Np0\n.", None), (b"Np-1\n.", "as number -1"), (b"p0\n.", "but there is none")],
    "BINPUT": [(b"Nq\0.", None), (b"Nq\xff.", "more than it can have"), (b"(q\0.", "is none")],
    "LONG_BINPUT": [(b"Nr\0\0\0\0.", None), (b"Nr\xff\xff\xff\x7f.", "more than it can have")],
    "MEMOIZE": [(b"N\x940h\0.", None), (b"\x94.", "but there is none")],
    "EXT1": [(b"\x82\x01.", "copyreg's registry")],
    "EXT2": [(b"\x83\x01\0.", "copyreg's registry")],
    "EXT4": [(b"\x84\x01\0\0\0.", "copyreg's registry")],
    "GLOBAL": [
        (b"cos\nsystem\n.", r"requests os\.system \(at byte 0\)"),
        (b"cnumpy\nndarray\n.", r"holds numpy\.ndarray, which is not a value \(at byte 0\)"),
        (b"cnumpy", "middle of a line"),
    ],
    "STACK_GLOBAL": [
        (b"\x8c\x02os\x8c\x06system\x93.", r"requests os\.system \(at byte 12\)"),
        (b"NN\x93.", "a name that is not text"),
        (b"\x8c\x05numpy\x8c\x05dtype\x93.", "holds numpy.dtype, which is not a value"),
    ],
    "REDUCE": [
        (b"ccollections\nOrderedDict\n)R.", OrderedDict()),
        (b"N)R.", "calls an object that is not a name"),
        (b"ccollections\nOrderedDict\n]R.", "without a tuple of arguments"),
        (b"R.", "empty stack"),
    ],
    "BUILD": [
        (b"ccollections\nOrderedDict\n)R}NNsb.", OrderedDict()),
        (b"cbuiltins\ntuple\n}b.", "sets the state of an object that is not an array"),
        (b"]}b.", "sets the state of an object that is not an array"),
        (b"}b.", "sets the state of an object that is not an array"),
        (b"b.", "empty stack"),
    ],
    "INST": [(b"(icollections\nOrderedDict\n.", "an object of a class")],
    "OBJ": [(b"(ccollections\nOrderedDict\no.", "an object of a class")],
    "NEWOBJ": [(b"ccollections\nOrderedDict\n)\x81.", "an object of a class")],
    "NEWOBJ_EX": [(b"ccollections\nOrderedDict\n)}\x92.", "an object of a class")],
    "PROTO": [(b"\x80\x05N.", None), (b"\x80\x06N.", "protocol 6"), (b"\x80", "ends too early")],
    "STOP": [
        (b"N.garbage", None),
        (b".", "more or less than one"),
        (b"NN.", "less than one value"),
    ],
    "FRAME": [(b"\x95" + U8(2) + b"N.", None), (b"\x95" + U8(3) + b"N.", "3 bytes should follow")],
    "PERSID": [(b"Px\n.", "not in the file")],
    "BINPERSID": [(b"NQ.", "not in the file")],
}


def test_every_opcode_is_in_the_table():
    """The table covers every protocol."""
    assert set(OPCODES) == {opcode.name for opcode in pickletools.opcodes}


@pytest.mark.parametrize("name", OPCODES)
def test_opcodes(name):
    """Each has a known result, and known refusals."""
    codes = {opcode.name: opcode.code.encode("latin1") for opcode in pickletools.opcodes}
    for data, wanted in OPCODES[name]:
        assert codes[name] in data
        is_value = not isinstance(wanted, str) or data.endswith(b"\x80.") or wanted in ("a", "\xe9")
        if is_value or (name in ("STRING", "UNICODE") and data == OPCODES[name][0][0]):
            assert same(load(data), wanted), data
        else:
            refused(data, wanted)


def test_bytes_that_are_no_opcode():
    """The 188 others."""
    codes = {ord(opcode.code) for opcode in pickletools.opcodes}
    others = [code for code in range(256) if code not in codes]
    assert len(others) == 188
    for code in others:
        refused(bytes([code]) + b"N.", "where an opcode should be")
