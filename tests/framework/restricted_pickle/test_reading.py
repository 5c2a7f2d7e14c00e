"""The reader of pickles: the names of Python and NumPy that it accepts, and its refusals."""

import io
import pickle
import pickletools
import struct
from argparse import Namespace
from collections import OrderedDict
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.framework.restricted_pickle import restricted_load
from tests.support.pickles import load, refused, same

U4 = struct.Struct("<I").pack

# ---- accepted pickles

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


@pytest.mark.parametrize("protocol", range(2, 6))
def test_namespaces(protocol):
    """Checkpoints hold these besides their weights, also nested."""
    given = Namespace(lr=0.1, sizes=[1, 2], more=SimpleNamespace(name="x"), empty=Namespace())
    found = load(pickle.dumps({"args": given}, protocol))["args"]
    assert found == given
    assert [type(found), type(found.more)] == [Namespace, SimpleNamespace]


def test_a_namespace_takes_nothing_but_names_and_values():
    """No attribute of its class is set, and no other object is made."""
    start = b"\x80\x02cargparse\nNamespace\n)\x81"
    found = load(start + b"}X\x09\x00\x00\x00__class__K\x01sb.")
    assert type(found) is Namespace
    assert vars(found) == {"__class__": 1}
    for code, why in {
        start + b"}K\x01K\x02sb.": "a name that is not text",
        start + b"K\x01b.": "a form that is not Python's",
        start + b"}b}b.": "a form that is not Python's",
        start + b"}Vself\n": "ends too early",
        b"\x80\x02cargparse\nNamespace\n}\x81.": "without a tuple",
        b"\x80\x02cargparse\nNamespace\n(K\x01t\x81.": "with 1 arguments",
        b"\x80\x02cargparse\nArgumentParser\n)\x81.": "argparse.ArgumentParser",
    }.items():
        refused(code, why)


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_every_protocol(name, protocol):
    """Values, dtype and shape are those that NumPy pickled, in native order."""
    found = load(pickle.dumps({"x": ARRAYS[name]}, protocol))["x"]
    assert same(found, ARRAYS[name])
    assert found.dtype.isnative


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("name", VALUES)
def test_values_of_every_protocol(name, protocol):
    """As Python's C and Python picklers write them."""
    written = pickle.dumps(VALUES[name], protocol)
    in_python = vars(pickle)["_dumps"](VALUES[name], protocol)
    for data in (written, in_python, pickletools.optimize(written)):
        assert same(load(data), VALUES[name])


def test_shared_objects_stay_shared():
    """A list in two places is one list."""
    inner, array = [1], np.ones(3)
    found = load(pickle.dumps([inner, inner, {"x": array}, array]))
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
    found = load(data)
    assert same(found["data"], np.array([254, 1], np.uint8))
    assert [found["labels"], found["order"]] == [[5], OrderedDict(a=1)]


def test_a_second_pickle_in_a_file_is_left_unread():
    """A file may hold two pickles, one after the other."""
    file = io.BytesIO(b"ahead" + pickle.dumps([1]) + pickle.dumps([2]))
    file.seek(5)
    assert [restricted_load(file, "f"), restricted_load(file, "f")] == [[1], [2]]
    with pytest.raises(InvalidArgumentError, match=f"ends too early .at byte {file.tell()}"):
        restricted_load(file, "f")


def test_the_attributes_of_an_ordered_dict_are_left_out():
    """As those of torch's state dicts."""
    state = OrderedDict(a=1)
    vars(state)["_metadata"] = {"version": 1}
    found = load(pickle.dumps(state))
    assert found == state
    assert vars(found) == {}


# ---- refused pickles


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
    "a negative size": (
        _array_pickle(shape=b"J\xff\xff\xff\xff\x85"),
        "dimension that is not a size",
    ),
    "a size that wraps": (_array_pickle(shape=b"\x8a\x09\0\0\0\0\0\0\0\0\x01\x85"), "not a size"),
    "sizes that wrap": (
        _array_pickle(shape=b"\x8a\x05\0\0\0\0\x01\x8a\x05\0\0\0\0\x01\x86", raw=b"C\0"),
        "0 bytes for an array",
    ),
    "empty and huge": (
        _array_pickle(shape=b"K\0\x8a\x05\0\0\0\0\x01\x86", raw=b"C\0"),
        "an empty array of the shape",
    ),
    "a shape of text": (_array_pickle(shape=b"U\x01a\x85"), "dimension that is not a size"),
    "a shape of bools": (_array_pickle(shape=b"\x88\x85"), "dimension that is not a size"),
    "no shape": (_array_pickle(shape=b"N"), "shape is not a tuple"),
    "40 dimensions": (_array_pickle(shape=b"(" + b"K\x01" * 40 + b"t"), "at most 32"),
    "an object dtype": (_array_pickle(dtype=b"O"), "Python objects or records"),
    "an object dtype of 8": (_array_pickle(dtype=b"|O8"), "Python objects or records"),
    "a void dtype": (_array_pickle(dtype=b"V4"), "Python objects or records"),
    "a dtype that is a list": (_array_pickle(dtype=b"f4,f4"), "Python objects or records"),
    "text of nothing": (_array_pickle(dtype=b"U0", raw=b"C\0"), "a dtype of -1 bytes"),
    "an order that is none": (_array_pickle(order=b"x"), "an array of records"),
    "objects for bytes": (_array_pickle(raw=b"]"), "Python objects"),
    "a number for bytes": (_array_pickle(raw=b"K\x04"), "Python objects"),
    "characters that are no bytes": (_array_pickle(raw=b"X\x03\0\0\0\xe2\x82\xac"), "not bytes"),
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
    "a name in a list": (b"](cnumpy\nndarray\ne.", "holds numpy.ndarray, which is not a value"),
    "a name in a tuple": (b"cbuiltins\nset\n\x85.", "holds builtins.set, which is not a value"),
    "a name in a dict": (b"}Ncbuiltins\nset\ns.", "holds builtins.set, which is not a value"),
    "a name as a key": (b"}cbuiltins\nset\nNs.", "holds builtins.set, which is not a value"),
    "a name in a set": (b"(c_codecs\nencode\n\x91.", "holds _codecs.encode, which is not a value"),
    "a name from the memo": (
        b"cbuiltins\nset\nq\x000h\0.",
        "holds builtins.set, which is not a value",
    ),
    "a name in an OrderedDict": (
        b"ccollections\nOrderedDict\n]](Nccollections\nOrderedDict\nea\x85R.",
        "holds collections.OrderedDict, which is not a value",
    ),
    "a class called": (b"cml_dtypes\nbfloat16\nK\x01\x85R.", "calls ml_dtypes.bfloat16"),
    "2 GiB of zeros": (b"cbuiltins\nbytearray\nJ\0\0\0\x7f\x85R.", "bytearray of something other"),
    "2 GiB of bytes": (b"cbuiltins\nbytes\nJ\0\0\0\x7f\x85R.", "with 1 arguments"),
    "a complex of text": (
        b"cbuiltins\ncomplex\nVx\nVy\n\x86R.",
        "complex number of something other",
    ),
    "tuple of text": (b"cbuiltins\ntuple\nVxy\n\x85R.", "with something other than a list"),
    "pairs that are none": (b"ccollections\nOrderedDict\n]Na\x85R.", "something other than pairs"),
    "a list in itself": (b"]q\0h\0a.", "holds itself"),
    "a dict in itself": (b"}q\0Nh\0s.", "holds itself"),
    "a dict as its own key": (b"}q\0h\0Ns.", "holds itself"),
    "a tuple in itself": (b"]q\0h\0\x85a.", "holds itself"),
    "a list as a key": (b"}]Ns.", "list as a key"),
    "an array as a key": (b"}" + _array_pickle()[2:-1] + b"Ns.", "ndarray as a key"),
    "a dtype as a key": (b"}" + DTYPE + b"Ns.", "as a key"),
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
    refused(data, match)
    with pytest.raises(
        InvalidArgumentError, match=r"can not parse the file: the buffer: .*at byte \d"
    ):
        paddle.load(io.BytesIO(data))


def test_nothing_of_the_library_can_be_changed():
    """State set on every name of the table is refused."""
    from jaxeager.framework.restricted_pickle.makers import _MAKERS

    assert len(_MAKERS) == 37
    for module, name in _MAKERS:
        asked = f"c{module}\n{name}\n".encode()
        refused(
            asked + b"}S'__defaults__'\n)sb.", "sets the state of an object that is not an array"
        )
        refused(asked + b"(N}tb.", "sets the state of an object that is not an array")
        refused(asked + b".", "which is not a value")
        refused(b"]" + asked + b"a.", "which is not a value")


def test_bools_are_bools():
    """Bytes that are neither 0 nor 1 count as True, also in sums."""
    found = load(_array_pickle(dtype=b"b1", shape=b"K\x04\x85", raw=b"C\x04\0\1\2\xff", order=b"|"))
    assert found.tolist() == [False, True, True, True]
    assert found.sum() == 3
