"""The reader of pickles: every opcode, what it takes from Python and NumPy, and what it refuses."""

import contextlib
import io
import pickle
import pickletools
import struct
import tracemalloc
from collections import OrderedDict

import ml_dtypes
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.framework.restricted_pickle import Machine, finished, restricted_load
from jaxeager.framework.restricted_pickle.damage import Damage


def _load(data):
    return restricted_load(io.BytesIO(data), "file")


def _refused(data, match):
    with pytest.raises(InvalidArgumentError, match=match):
        _load(data)


def _same(found, value):
    """Says whether two values are the same, kinds and dtypes too."""
    if isinstance(value, np.ndarray):
        is_native = found.dtype == value.dtype.newbyteorder("=")
        return is_native and found.shape == value.shape and bool((found == value).all())
    if type(found) is not type(value):
        return False
    if isinstance(value, dict):
        return _same([*found], [*value]) and _same([*found.values()], [*value.values()])
    if isinstance(value, (list, tuple)):
        return len(found) == len(value) and all(map(_same, found, value))
    return found == value or found != found


# ---- every opcode

U4, U8 = struct.Struct("<I").pack, struct.Struct("<Q").pack
BYTES = b"cnumpy\nndarray\n"
# What each opcode makes, or what refuses it.
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
    "APPEND": [(b"]Na.", [None]), (b"}Na.", "a list where there is none"), (b"Na.", "none")],
    "APPENDS": [(b"](NNe.", [None, None]), (b"N(Ne.", "list where there is none"), (b"e.", "mark")],
    "LIST": [(b"(NNl.", [None, None]), (b"l.", "since a mark where there is none")],
    "EMPTY_TUPLE": [(b").", ())],
    "TUPLE": [(b"(NNt.", (None, None)), (b"t.", "mark where there is none")],
    "TUPLE1": [(b"N\x85.", (None,)), (b"\x85.", "empty stack")],
    "TUPLE2": [(b"NK\x01\x86.", (None, 1)), (b"N\x86.", "empty stack")],
    "TUPLE3": [(b"NK\x01K\x02\x87.", (None, 1, 2)), (b"NN\x87.", "empty stack")],
    "EMPTY_DICT": [(b"}.", {})],
    "DICT": [(b"(NNd.", {None: None}), (b"(Nd.", "key without a value"), (b"d.", "mark")],
    "SETITEM": [
        (b"}NNs.", {None: None}),
        (b"]NNs.", "dict where there is none"),
        (b"Ns.", "empty"),
    ],
    "SETITEMS": [(b"}(NNu.", {None: None}), (b"}(Nu.", "key without a value"), (b"](NNu.", "dict")],
    "EMPTY_SET": [(b"\x8f.", set())],
    "ADDITEMS": [(b"\x8f(N\x90.", {None}), (b"](N\x90.", "set where"), (b"(\x91(N\x90.", "frozen")],
    "FROZENSET": [
        (b"(N\x91.", frozenset({None})),
        (b"(]\x91.", "list for a key"),
        (b"\x91.", "mark"),
    ],
    "POP": [(b"NN0.", None), (b"N(0.", None), (b"0.", "mark where there is none")],
    "DUP": [(b"]2\x86.", ([], [])), (b"2.", "empty stack")],
    "MARK": [(b"(N.", "more or less than one value"), (b"((((", "ends too early")],
    "POP_MARK": [(b"N(NN1.", None), (b"N1.", "mark where there is none")],
    "GET": [
        (b"Np5\n0g5\n.", "keeps a value as number 5"),
        (b"Np0\n0g0\n.", None),
        (b"g-1\n.", "-1"),
    ],
    "BINGET": [(b"Nq\x000h\0.", None), (b"h\0.", "never kept as number 0")],
    "LONG_BINGET": [(b"Nr\0\0\0\x000j\0\0\0\0.", None), (b"j\xff\xff\xff\xff.", "never kept")],
    "PUT": [(b"Np0\n.", None), (b"Np-1\n.", "as number -1"), (b"p0\n.", "where there is none")],
    "BINPUT": [(b"Nq\0.", None), (b"Nq\xff.", "more than it can have"), (b"(q\0.", "is none")],
    "LONG_BINPUT": [(b"Nr\0\0\0\0.", None), (b"Nr\xff\xff\xff\x7f.", "more than it can have")],
    "MEMOIZE": [(b"N\x940h\0.", None), (b"\x94.", "where there is none")],
    "EXT1": [(b"\x82\x01.", "copyreg's registry")],
    "EXT2": [(b"\x83\x01\0.", "copyreg's registry")],
    "EXT4": [(b"\x84\x01\0\0\0.", "copyreg's registry")],
    "GLOBAL": [
        (b"cos\nsystem\n.", r"asks for os\.system \(at byte 0\)"),
        (b"cnumpy\nndarray\n.", r"holds numpy\.ndarray, which is no value \(at byte 0\)"),
        (b"cnumpy", "middle of a line"),
    ],
    "STACK_GLOBAL": [
        (b"\x8c\x02os\x8c\x06system\x93.", r"asks for os\.system \(at byte 12\)"),
        (b"NN\x93.", "a name that is no text"),
        (b"\x8c\x05numpy\x8c\x05dtype\x93.", "holds numpy.dtype, which is no value"),
    ],
    "REDUCE": [
        (b"ccollections\nOrderedDict\n)R.", OrderedDict()),
        (b"N)R.", "calls what is no name"),
        (b"ccollections\nOrderedDict\n]R.", "without a tuple of arguments"),
        (b"R.", "empty stack"),
    ],
    "BUILD": [
        (b"ccollections\nOrderedDict\n)R}NNsb.", OrderedDict()),
        (b"cbuiltins\ntuple\n}b.", "sets the state of what is no array"),
        (b"]}b.", "sets the state of what is no array"),
        (b"}b.", "sets the state of what is no array"),
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
    """Of every protocol that there is."""
    assert set(OPCODES) == {opcode.name for opcode in pickletools.opcodes}


@pytest.mark.parametrize("name", OPCODES)
def test_opcodes(name):
    """What it makes, and how it is refused: never otherwise."""
    codes = {opcode.name: opcode.code.encode("latin1") for opcode in pickletools.opcodes}
    for data, wanted in OPCODES[name]:
        assert codes[name] in data
        is_value = not isinstance(wanted, str) or data.endswith(b"\x80.") or wanted in ("a", "\xe9")
        if is_value or (name in ("STRING", "UNICODE") and data == OPCODES[name][0][0]):
            assert _same(_load(data), wanted), data
        else:
            _refused(data, wanted)


def test_bytes_that_are_no_opcode():
    """The 188 others."""
    codes = {ord(opcode.code) for opcode in pickletools.opcodes}
    others = [code for code in range(256) if code not in codes]
    assert len(others) == 188
    for code in others:
        _refused(bytes([code]) + b"N.", "where an opcode should be")


# ---- what is read

DTYPES = [*"?bBhHiIqQefdgFDG", ">i4", ">f8", ">c16", "S3", "U3", ">U2", "M8[ns]", "m8[25s]", "M8"]
ARRAYS = {
    "matrix": np.arange(6.0).reshape(2, 3),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "other axes": np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2),
    "strided": np.arange(12)[::2],
    "0-D": np.array(2.5),
    "empty": np.zeros((0, 3), np.float32),
    "bfloat16": np.array([1.5], ml_dtypes.bfloat16),
    "float8": np.array([1.5], ml_dtypes.float8_e4m3fn),
    "text": np.array(["a", "b\u20ac"]),
    "read only": np.broadcast_to(np.float32(1), (2, 2)),
    **{dtype: np.array([0, 1, 1]).astype(np.dtype(dtype)) for dtype in DTYPES},
}
VALUES = {
    "numbers": [0, 255, 256, 65536, -1, 2**31, -(2**63), 2**70, -(2**2100), 1.5, -0.0, 1e300, 2j],
    "text": ["", "a", "\u20ac", "\ud800", "a\nb\\", "\x80", "x" * 70000, b"", b"a\0", b"y" * 70000],
    "more": [None, True, False, bytearray(b"abc"), bytearray(), float("inf"), float("nan")],
    "containers": {"a": [1, (2, (), (3,), (1, 2), (1, 2, 3), (1, 2, 3, 4))], 3: {}, None: [[], {}]},
    "keys": {1: 1, 1.5: 2, (1, "a"): 3, b"x": 4, False: 5, frozenset({1}): 6, 2j: 7, (): 8},
    "sets": [set(), {1, "a"}, frozenset(), frozenset({1, (2, 3)})],
    "ordered": OrderedDict([("b", 1), ("a", OrderedDict())]),
    "scalars": [np.float32(1.5), np.int64(-1), np.bool_(True), np.complex64(1j), np.str_("ab")],
    "empty text": [np.str_(""), np.bytes_(b"")],
    "times": [np.datetime64("2020-01-01"), np.timedelta64(3, "ms")],
    "a scalar as key": {np.int64(3): 1},
    "narrow": [np.dtype(ml_dtypes.bfloat16).type(1.5)],
    "dtype": [np.dtype("f4"), np.dtype(">i2")],
    "many": {f"k{i}": i for i in range(3000)},
    "numbers as keys": {i * 12345: i for i in range(3000)},
    "many in a set": set(range(0, 10**6, 137)),
    "long list": [*range(5000)],
}


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_every_protocol(name, protocol):
    """Values, dtype and shape are those that NumPy pickled, in native order."""
    found = _load(pickle.dumps({"x": ARRAYS[name]}, protocol))["x"]
    assert _same(found, ARRAYS[name])
    assert found.dtype.isnative


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("name", VALUES)
def test_values_of_every_protocol(name, protocol):
    """As Python's C and Python picklers write them."""
    written = pickle.dumps(VALUES[name], protocol)
    in_python = vars(pickle)["_dumps"](VALUES[name], protocol)
    for data in (written, in_python, pickletools.optimize(written)):
        assert _same(_load(data), VALUES[name])


def test_what_is_shared_stays_shared():
    """A list in two places is one list."""
    inner, array = [1], np.ones(3)
    found = _load(pickle.dumps([inner, inner, {"x": array}, array]))
    assert found[0] is found[1]
    assert found[2]["x"] is found[3]


def test_files_of_python_2():
    """Text for bytes, a class's own pairs, an old module name: as CIFAR's batches."""
    data = (
        b"\x80\x02}q\x01(U\x04dataq\x02cnumpy.core.multiarray\n_reconstruct\nq\x03cnumpy\nndarray\n"
        b"q\x04K\x00\x85U\x01b\x87Rq\x05(K\x01K\x02\x85cnumpy\ndtype\nq\x06U\x02u1K\x00K\x01\x87R"
        b"(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89U\x02\xfe\x01tbU\x06labelsq\x07]"
        b"K\x05aU\x05orderccollections\nOrderedDict\n]]q\x08(U\x01aK\x01ea\x85Ru."
    )
    found = _load(data)
    assert _same(found["data"], np.array([254, 1], np.uint8))
    assert [found["labels"], found["order"]] == [[5], OrderedDict(a=1)]


def test_what_follows_is_left():
    """Two pickles, one after the other."""
    file = io.BytesIO(b"ahead" + pickle.dumps([1]) + pickle.dumps([2]))
    file.seek(5)
    assert [restricted_load(file, "f"), restricted_load(file, "f")] == [[1], [2]]
    with pytest.raises(InvalidArgumentError, match=f"ends too early .at byte {file.tell()}"):
        restricted_load(file, "f")


def test_the_attributes_of_an_ordered_dict_are_left_out():
    """As those of torch's state dicts."""
    state = OrderedDict(a=1)
    vars(state)["_metadata"] = {"version": 1}
    found = _load(pickle.dumps(state))
    assert found == state
    assert vars(found) == {}


# ---- what is refused


def _array_pickle(dtype=b"f4", shape=b"K\x01\x85", raw=b"C\x04abcd", order=b"<", version=b"K\x01"):
    return (
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85C\x01b\x87R("
        + version
        + shape
        + b"cnumpy\ndtype\nU"
        + bytes([len(dtype)])
        + dtype
        + b"\x89\x88\x87R(K\x03U\x01"
        + order
        + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89"
        + raw
        + b"tb."
    )


RECORDS = np.zeros(2, [("a", "f4"), ("b", "i4")])
DTYPE = b"cnumpy\ndtype\nU\x02f4\x89\x88\x87R"
STATE = b"(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0t"
HOSTILE = {
    "too few bytes": (_array_pickle(raw=b"C\x03abc"), r"3 bytes for an array of shape \[1\]"),
    "too many bytes": (_array_pickle(raw=b"C\x05abcde"), "5 bytes for an array"),
    "a negative size": (_array_pickle(shape=b"J\xff\xff\xff\xff\x85"), "dimension that is no size"),
    "a size that wraps": (_array_pickle(shape=b"\x8a\x09\0\0\0\0\0\0\0\0\x01\x85"), "no size"),
    "sizes that wrap": (
        _array_pickle(shape=b"\x8a\x05\0\0\0\0\x01\x8a\x05\0\0\0\0\x01\x86", raw=b"C\0"),
        "0 bytes for an array",
    ),
    "empty and huge": (
        _array_pickle(shape=b"K\0\x8a\x05\0\0\0\0\x01\x86", raw=b"C\0"),
        "too large for being empty",
    ),
    "a shape of text": (_array_pickle(shape=b"U\x01a\x85"), "dimension that is no size"),
    "a shape of bools": (_array_pickle(shape=b"\x88\x85"), "dimension that is no size"),
    "no shape": (_array_pickle(shape=b"N"), "shape is no tuple"),
    "40 dimensions": (_array_pickle(shape=b"(" + b"K\x01" * 40 + b"t"), "at most 32"),
    "an object dtype": (_array_pickle(dtype=b"O"), "Python objects or records"),
    "an object dtype of 8": (_array_pickle(dtype=b"|O8"), "Python objects or records"),
    "a void dtype": (_array_pickle(dtype=b"V4"), "Python objects or records"),
    "a dtype that is a list": (_array_pickle(dtype=b"f4,f4"), "Python objects or records"),
    "text of nothing": (_array_pickle(dtype=b"U0", raw=b"C\0"), "a dtype of -1 bytes"),
    "an order that is none": (_array_pickle(order=b"x"), "an array of records"),
    "objects for bytes": (_array_pickle(raw=b"]"), "Python objects"),
    "a number for bytes": (_array_pickle(raw=b"K\x04"), "Python objects"),
    "characters that are no bytes": (_array_pickle(raw=b"X\x03\0\0\0\xe2\x82\xac"), "no bytes"),
    "characters that do not exist": (
        _array_pickle(dtype=b"U1", raw=b"C\x04\xff\xff\xff\xff"),
        "exist",
    ),
    "records": (pickle.dumps(RECORDS), "Python objects or records"),
    "one record": (pickle.dumps(RECORDS[0]), "Python objects or records"),
    "a subarray": (b"\x80\x02" + DTYPE + b"(K\x03U\x01<NNN" + b"N.", "more or less than one"),
    "fields": (b"\x80\x02" + DTYPE + b"(K\x03U\x01<N(U\x01at}K\x04K\x04K\0tb.", "array of records"),
    "a second state of a dtype": (
        b"\x80\x02" + DTYPE + STATE + b"b" + STATE + b"b.",
        "not NumPy's",
    ),
    "a dict as a dtype's state": (b"\x80\x02" + DTYPE + b"}b.", "not NumPy's"),
    "a second state of an array": (_array_pickle()[:-1] + b"(tb.", "not NumPy's"),
    "an array without contents": (
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR.",
        "array without contents",
    ),
    "a name in a list": (b"](cnumpy\nndarray\ne.", "holds numpy.ndarray, which is no value"),
    "a name in a tuple": (b"cbuiltins\nset\n\x85.", "holds builtins.set, which is no value"),
    "a name in a dict": (b"}Ncbuiltins\nset\ns.", "holds builtins.set, which is no value"),
    "a name as a key": (b"}cbuiltins\nset\nNs.", "holds builtins.set, which is no value"),
    "a name in a set": (b"(c_codecs\nencode\n\x91.", "holds _codecs.encode, which is no value"),
    "a name from the memo": (
        b"cbuiltins\nset\nq\x000h\0.",
        "holds builtins.set, which is no value",
    ),
    "a name in an OrderedDict": (
        b"ccollections\nOrderedDict\n]](Nccollections\nOrderedDict\nea\x85R.",
        "holds collections.OrderedDict, which is no value",
    ),
    "a class called": (b"cml_dtypes\nbfloat16\nK\x01\x85R.", "calls ml_dtypes.bfloat16"),
    "2 GiB of zeros": (b"cbuiltins\nbytearray\nJ\0\0\0\x7f\x85R.", "bytearray of what is no bytes"),
    "2 GiB of bytes": (b"cbuiltins\nbytes\nJ\0\0\0\x7f\x85R.", "with 1 arguments"),
    "a complex of text": (
        b"cbuiltins\ncomplex\nVx\nVy\n\x86R.",
        "complex number of what is no num",
    ),
    "tuple of text": (b"cbuiltins\ntuple\nVxy\n\x85R.", "with what is no list"),
    "pairs that are none": (b"ccollections\nOrderedDict\n]Na\x85R.", "what is no pairs"),
    "a list in itself": (b"]q\0h\0a.", "holds itself"),
    "a dict in itself": (b"}q\0Nh\0s.", "holds itself"),
    "a dict as its own key": (b"}q\0h\0Ns.", "holds itself"),
    "a tuple in itself": (b"]q\0h\0\x85a.", "holds itself"),
    "a list as a key": (b"}]Ns.", "list for a key"),
    "an array as a key": (b"}" + _array_pickle()[2:-1] + b"Ns.", "ndarray for a key"),
    "a dtype as a key": (b"}" + DTYPE + b"Ns.", "for a key"),
    "deep lists": (b"]" * 100_000 + b"a" * 99_999 + b".", "nest deeper than 1000"),
    "deep tuples": (b")" + b"\x85" * 100_000 + b".", "nest deeper than 1000"),
    "deep dicts": (b"}N" * 50_000 + b"}" + b"s" * 50_000 + b".", "nest deeper than 1000"),
    "deep frozensets": (b"(" * 50_000 + b"\x91" * 50_000 + b".", "nest deeper than 1000"),
    "nested tuples as a key": (b"})" + b"2\x86" * 60 + b"Ns.", "a key of more than 1000 parts"),
    "nested tuples in a set": (b"()" + b"2\x86" * 60 + b"\x91.", "a key of more than 1000 parts"),
    "a very long number as a key": (b"}\x8b" + U4(2**20) + b"\1" * 2**20 + b"Ns.", "1000 parts"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name):
    """One clear error each, with the place."""
    data, match = HOSTILE[name]
    _refused(data, match)
    with pytest.raises(
        InvalidArgumentError, match=r"can not parse the file: the buffer: .*at byte \d"
    ):
        paddle.load(io.BytesIO(data))


def test_nothing_of_the_library_can_be_changed():
    """State set on every name of the table is refused."""
    from jaxeager.framework.restricted_pickle.makers import _MAKERS

    assert len(_MAKERS) == 31
    for module, name in _MAKERS:
        asked = f"c{module}\n{name}\n".encode()
        _refused(asked + b"}S'__defaults__'\n)sb.", "sets the state of what is no array")
        _refused(asked + b"(N}tb.", "sets the state of what is no array")
        _refused(asked + b".", "which is no value")
        _refused(b"]" + asked + b"a.", "which is no value")


def test_bools_are_bools():
    """Bytes that are neither 0 nor 1 count as True, also in sums."""
    found = _load(
        _array_pickle(dtype=b"b1", shape=b"K\x04\x85", raw=b"C\x04\0\1\2\xff", order=b"|")
    )
    assert found.tolist() == [False, True, True, True]
    assert found.sum() == 3


# ---- time and memory are linear in the file


def _work(data):
    """Returns the steps beyond one per opcode, the bytes copied, and the peak of memory."""
    machine = Machine(data)
    tracemalloc.start()
    try:
        finished(machine, machine.run())
    except Damage:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return machine.work, machine.copied, peak


RAW = b"B" + U4(20_000) + b"r" * 20_000 + b"q\0"  # bytes, kept as number 0
PLUS = 2**61 - 1  # numbers that are equal modulo this have equal hashes


def _number(number):
    return pickle.dumps(number, 2)[2:-1]


def _chained(count):
    """Returns numbers that fill a chain of places in a dict's table, and others that fall on it."""
    chain, place = [], 0
    for _ in range(count):
        chain.append(place)
        place = (place * 5 + 1) % 2**15
    return chain + [(n + 1) * 2**60 for n in range(7)] + [n << 15 for n in range(1, count)]


ENCODE = b"c_codecs\nencode\nq\1"
FRAME = b"(h\0cnumpy\ndtype\nU\2u1\x85RM\x20\x4e\x85U\1Ctq\2"  # the arguments of _frombuffer
EQUAL = b"".join(b"X" + U4(120_000) + b"k" * 120_000 + b"q" + n + b"0" for n in (b"\0", b"\1"))
COLLIDING = [n * PLUS for n in range(1, 5000)]
# Files, and what refuses them; None where they are read.
GREEDY = {
    "32 bytes for 2 GiB": (b"\x80\x04Nr\xff\xff\xff\x7f." + b" " * 20, "more than it can have"),
    "a list of marks": (b"(" * 20_000, "ends too early"),
    "one array many times": (
        RAW + FRAME + b"0cnumpy.core.numeric\n_frombuffer\nq\1" + b"0h\1h\2R" * 5000 + b".",
        "more memory than",
    ),
    "bytes of one text": (
        b"X" + U4(9000) + b"t" * 9000 + b"Vlatin1\n\x86q\0" + ENCODE + b"0h\1h\0R" * 5000 + b".",
        "more memory than",
    ),
    "bytearrays of one text": (
        RAW + b"\x85q\2cbuiltins\nbytearray\nq\1" + b"0h\1h\2R" * 5000 + b".",
        "more memory than",
    ),
    "sets of one list": (
        b"](" + b"N" * 9000 + b"e\x85q\0cbuiltins\nset\nq\1" + b"0h\1h\0R" * 5000 + b".",
        "more work than",
    ),
    "one key many times": (b"(" + b"N" * 500 + b"tq\x000}(" + b"h\0N" * 9000 + b"u.", "more work"),
    "two equal keys": (EQUAL + b"}(" + b"h\0Nh\1N" * 40_000 + b"u.", "more work than"),
    "laughs": (
        b")q\0" + b"".join(b"h%ch%c\x86q%c0" % (n, n, n + 1) for n in range(99)) + b".",
        None,
    ),
    "keys of one hash": (b"}(" + b"N".join(map(_number, COLLIDING)) + b"Nu.", "made to collide"),
    "members of one hash": (b"\x8f(" + b"".join(map(_number, COLLIDING)) + b"\x90.", "to collide"),
    "tuples of one hash": (
        b"}(" + b"\x85N".join(map(_number, COLLIDING)) + b"\x85Nu.",
        "made to collide",
    ),
    "keys in a chain": (b"}(" + b"N".join(map(_number, _chained(2000))) + b"Nu.", "to collide"),
}


@pytest.mark.parametrize("name", GREEDY)
def test_greedy_files(name):
    """Work, copies and memory stay in proportion to the file."""
    data, match = GREEDY[name]
    work, copied, peak = _work(data)
    assert work <= 64 * (len(data) + 1)
    assert copied <= 4 * len(data)
    assert peak <= 600 * len(data) + 100_000
    if match is not None:
        _refused(data, match)
    else:
        paddle.load(io.BytesIO(data))


@pytest.mark.parametrize("step", [1, 2, 137, 1024, 2**20, 2**32, 2**40, -1, -(2**20), 0.5, 2**-30])
@pytest.mark.parametrize("kind", [dict.fromkeys, set])
def test_keys_that_nobody_made_to_collide(step, kind):
    """Numbers in regular steps, random ones, pairs of them."""
    draw = np.random.default_rng(0)
    for keys in (
        [n * step for n in range(3000)],
        [int(n) * step for n in draw.integers(0, 10**6, 3000)],
        [(n * step, n % 7) for n in range(3000)],
    ):
        value = kind(keys)
        assert _load(pickle.dumps(value)) == value


def test_many_levels_that_python_writes():
    """As deep as Python's own pickler goes."""
    value, depth, found = [], 0, b""
    with contextlib.suppress(RecursionError):
        while depth < 900:
            found = pickle.dumps(value := [value])
            depth += 1
    assert depth > 400
    loaded = paddle.load(io.BytesIO(found))
    for _ in range(depth):
        assert len(loaded) == 1
        loaded = loaded[0]
