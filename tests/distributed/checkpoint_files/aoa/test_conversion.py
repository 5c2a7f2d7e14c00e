"""aoa_config next to NumPy: shares of processes, parts of tensors, states, and errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxeager.distributed.checkpoint_files.aoa import values
from jaxeager.distributed.checkpoint_files.aoa.conversion import converted
from jaxeager.distributed.checkpoint_files.aoa.converted_reader import ConvertedReader
from jaxeager.distributed.checkpoint_files.aoa.statements import parsed

HEADS = "num_heads=4, num_key_value_groups=4"


class Arrays:
    """A checkpoint in memory; it counts the elements that are read.

    Args:
        arrays: the tensors.
        shards: in how many parts some of them are divided.
    """

    def __init__(self, arrays, shards=None):
        self.arrays = arrays
        self.shards = shards or {}
        self.read = 0

    def names(self):
        return self.arrays.keys()

    def shape_of(self, name):
        return self.arrays[name].shape

    def dtype_of(self, name):
        return self.arrays[name].dtype.name

    def shards_of(self, name):
        return self.shards.get(name, 1)

    def box(self, name, offset, shape):
        self.read += int(np.prod(shape))
        return self.arrays[name][
            tuple(slice(at, at + n) for at, n in zip(offset, shape, strict=True))
        ]


def numbered(*shape, first=0):
    return np.arange(first, first + np.prod(shape), dtype=np.float32).reshape(shape)


def made(reader, statements, wanted=None, is_reversed=False):
    """Return the arrays that statements make."""
    config = {"aoa_statements": statements, "aoa_config_reverse": is_reversed}
    found = ConvertedReader(reader, config, wanted)
    return {name: whole(found, name) for name in found.names()}


def whole(reader, name):
    shape = reader.shape_of(name)
    return reader.box(name, (0,) * len(shape), shape)


def in_shares(parts, count):
    """Return parts joined along axis 1, cut among processes, each of which has them in a row."""
    pieces = [np.split(part, count, 1) for part in parts]
    return np.concatenate([piece for share in zip(*pieces, strict=True) for piece in share], 1)


GATE, UP = numbered(3, 8), numbered(3, 8, first=100)
Q, K, V = numbered(3, 8), numbered(3, 8, first=100), numbered(3, 8, first=200)


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize(
    ("parts", "statement"),
    [
        ({"g": GATE, "u": UP}, "g, u -> fused, fused_ffn"),
        ({"q": Q, "k": K, "v": V}, f"q, k, v -> fused, fused_qkv_old, {HEADS}"),
    ],
)
def test_fused_weights_have_the_parts_of_each_process_in_a_row(parts, statement, count):
    fused = in_shares(parts.values(), count)
    found = made(Arrays(parts), [statement], {"fused": count})
    np.testing.assert_array_equal(found["fused"], fused)
    back = made(Arrays({"fused": fused}, {"fused": count}), [statement], is_reversed=True)
    left, _, right = statement.partition(" -> ")
    turned = f"fused -> {left}, {right.partition(', ')[2]}"
    cut = made(Arrays({"fused": fused}, {"fused": count}), [turned], dict.fromkeys(parts, 1))
    for name, part in parts.items():
        np.testing.assert_array_equal(back[name], part)
        np.testing.assert_array_equal(cut[name], part)


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1), (4, 2), (2, 4), (4, 4)])
def test_a_fused_weight_of_other_processes(before, after):
    reader = Arrays({"old": in_shares([GATE, UP], before)}, {"old": before})
    found = made(reader, ["old -> new, fused_ffn"], {"new": after})
    np.testing.assert_array_equal(found["new"], in_shares([GATE, UP], after))
    back = Arrays({"new": found["new"]}, {"new": after})
    again = ConvertedReader(
        back,
        {"aoa_statements": ["old -> new, fused_ffn"], "aoa_config_reverse": True},
        {"old": before},
    )
    np.testing.assert_array_equal(whole(again, "old"), reader.arrays["old"])


def test_a_temporary_tensor_is_divided_as_what_it_comes_from():
    """Its number of processes is that of the source, and of what it becomes."""
    reader = Arrays({"old": in_shares([GATE, UP], 2)}, {"old": 2})
    statements = ["old -> t", "t -> s, fused_ffn", "s -> new"]
    found = made(reader, statements, {"new": 4})
    np.testing.assert_array_equal(found["new"], in_shares([GATE, UP], 4))


def test_heads_of_a_group_are_next_to_each_other():
    q, k, v = numbered(2, 8), numbered(2, 4, first=100), numbered(2, 4, first=200)
    statement = "q, k, v -> qkv, fused_qkv, num_heads=4, num_key_value_groups=2"
    found = made(Arrays({"q": q, "k": k, "v": v}), [statement])["qkv"]
    groups = [part for g in (0, 1) for part in (q[:, 4 * g : 4 * g + 4], *(
        each[:, 2 * g : 2 * g + 2] for each in (k, v)))]  # fmt: skip
    np.testing.assert_array_equal(found, np.concatenate(groups, 1))


LONG = ["a, b -> t, axis=0", "t^T -> u", "u -> p, q, axis=0", 'q -> r, permute="[1,0]"']


@given(st.data())
def test_a_part_is_the_same_part_of_the_whole(data):
    reader = Arrays({"a": numbered(4, 6), "b": numbered(2, 6, first=50), "c": numbered(3, 4, 5)})
    found = ConvertedReader(
        reader, {"aoa_statements": [*LONG, 'c -> d, permute="[2,0,1]"', "d -> e, dtype='float16'"]}
    )
    name = data.draw(st.sampled_from(sorted(found.names())))
    full = whole(found, name)
    begin = [data.draw(st.integers(0, size)) for size in full.shape]
    shape = [
        data.draw(st.integers(0, size - at)) for at, size in zip(begin, full.shape, strict=True)
    ]
    part = found.box(name, tuple(begin), tuple(shape))
    place = tuple(slice(at, at + size) for at, size in zip(begin, shape, strict=True))
    np.testing.assert_array_equal(part, full[place])
    assert part.dtype == full.dtype


def test_the_whole_is_that_of_numpy():
    a, b, c = numbered(4, 6), numbered(2, 6, first=50), numbered(3, 4, 5)
    found = made(Arrays({"a": a, "b": b, "c": c}), [*LONG, 'c -> d, permute="[2,0,1]"'])
    u = np.concatenate([a, b]).T
    assert sorted(found) == ["d", "p", "r"]
    np.testing.assert_array_equal(found["p"], u[:3])
    np.testing.assert_array_equal(found["r"], u[3:].T)
    np.testing.assert_array_equal(found["d"], c.transpose(2, 0, 1))


def test_only_what_a_part_needs_is_read():
    reader = Arrays({"a": numbered(64, 6), "b": numbered(64, 6)})
    found = ConvertedReader(reader, {"aoa_statements": ["a, b -> c, axis=0", "c^T -> d"]})
    assert reader.read == 0
    found.box("d", (0, 60), (6, 8))
    assert reader.read == 6 * 8


def test_states_follow_their_weights_without_casts():
    weights = {name: numbered(2, 3, first=10 * n) for n, name in enumerate("ab")}
    moments = {f"{name}.moment1_0": each + 0.3 for name, each in weights.items()}
    powers = {f"{name}.beta1_pow_acc_0": np.float32([0.5]) for name in weights}
    found = made(
        Arrays({**weights, **moments, **powers}),
        ["a, b -> c, axis=0", "c -> c, dtype='float16'"],
        dict.fromkeys(["c", "c.moment1_0", "c.beta1_pow_acc_0"], 1),
    )
    assert found["c"].dtype == np.float16
    np.testing.assert_array_equal(found["c.moment1_0"], np.concatenate([*moments.values()]))
    np.testing.assert_array_equal(found["c.beta1_pow_acc_0"], [0.5])


def test_a_checkpoint_of_states_alone():
    moments = {"a.moment1_0": numbered(2, 3)}
    found = made(Arrays(moments), ["a^T -> b"], {"b.moment1_0": 1})
    np.testing.assert_array_equal(found["b.moment1_0"], moments["a.moment1_0"].T)


def test_casts_have_two_dtypes_in_reverse():
    statement = "a -> b, src_dtype='float32', dst_dtype='float16'"
    assert made(Arrays({"a": numbered(2)}), [statement])["b"].dtype == np.float16
    back = made(Arrays({"b": numbered(2).astype(np.float16)}), [statement], is_reversed=True)
    assert back["a"].dtype == np.float32


def test_an_order_of_axes_is_undone_in_reverse():
    statement, value = 'a -> b, permute="[1,2,0]"', numbered(2, 3, 4)
    there = made(Arrays({"a": value}), [statement])["b"]
    np.testing.assert_array_equal(there, value.transpose(1, 2, 0))
    np.testing.assert_array_equal(
        made(Arrays({"b": there}), [statement], is_reversed=True)["a"], value
    )


def test_numbers_that_do_not_form_a_grid():
    """Paddle asks for every pair of the numbers that occur."""
    arrays = {f"m.{layer}.e.{expert}": numbered(2) for layer, expert in ((0, 0), (1, 0), (1, 1))}
    found = made(Arrays(arrays), ["m.$LAYER_ID.e.$EXPERT_ID -> n.$LAYER_ID.$EXPERT_ID"])
    assert sorted(found) == ["n.0.0", "n.1.0", "n.1.1"]


def test_statements_for_new_tensors_have_the_numbers_of_what_is_wanted():
    found = ConvertedReader(
        Arrays({"a": numbered(2)}),
        {"aoa_statements": ["_ -> new.$LAYER_ID.w"]},
        {"a": 1, "new.0.w": 1, "new.3.w": 1},
    )
    assert found.kept == {"new.0.w", "new.3.w"}
    assert list(found.names()) == ["a"]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("a -> b -> c", "must have one '->'"),
        ("a b -> c", "'ab' is not a name"),
        ("a, , b -> c, axis=0", "must be separated by single commas"),
        ("a -> b, axis=b", "must be a number or a string in quotes"),
        ("a[2:2] -> b, axis=0", "is an empty list"),
        ("a -> b, axis=0, dtype='float16'", "cannot be given together"),
        ("a -> b, permute='[0,0]'", "permute is an order of the axes"),
        ("a -> b, permute='[0,1,2]'", r"permute does not fit shape \[2, 3\]"),
        ("a -> b, c, axis=2", r"axis 2 is not one of shape \[2, 3\]"),
        ("a, half -> b, axis=0", r"the dtypes differ: \['float32', 'float16'\]"),
        ("a, wide -> b, axis=0", "the shapes differ outside of axis 0"),
        ("a -> b, c, d, fused_ffn", "fused_ffn has one name on a side, and 2 on another"),
        ("a -> b, fused_qkv, num_heads=1, num_key_value_groups=1", "and 3 on another"),
        ("a -> b, c, d, fused_qkv", "must be positive numbers"),
        ("a -> b, fused_ffn, heads=2", "has no attribute 'heads'"),
        ("a.*.*.w -> b, axis=0", "has more than one '\\*'"),
        ("a.$LAYER_ID.w -> b", r"every name must have \$LAYER_ID"),
        ("a.$LAYER.w -> b.$LAYER.w", r"the placeholders are \$LAYER_ID"),
        ("l.*.w -> b, c, axis=0", "one side must be a single name"),
        (3, "a statement must be a string, not 3"),
    ],
)
def test_unfit_statements_are_named(statement, message):
    arrays = {
        "a": numbered(2, 3),
        "half": numbered(2, 3).astype(np.float16),
        "wide": numbered(2, 4),
        "l.0.w": numbered(2, 3),
        "l.1.w": numbered(2, 3),
    }
    with pytest.raises(ValueError, match=message) as error:
        made(Arrays(arrays), [statement])
    assert "aoa_config" in str(error.value)
    assert repr(statement) in str(error.value) or not isinstance(statement, str)


def test_groups_that_processes_cannot_share():
    reader = Arrays({"qkv": numbered(2, 12)}, {"qkv": 4})
    statement = "qkv -> q, k, v, fused_qkv_old, num_heads=4, num_key_value_groups=2"
    with pytest.raises(ValueError, match="2 groups cannot be divided among 4 processes"):
        made(reader, [statement])


def test_unknown_keys_are_refused():
    with pytest.raises(ValueError, match=r"aoa_config has \['statements'\], but its keys are"):
        converted({"statements": []}, {}, lambda name: 1)


def test_what_a_statement_says():
    found = parsed('a^T , b.$LAYER_ID.w[1:3]->c,axis = 1 , permute="[1, 0]",fused_ffn')
    assert found.left == ("a^T", "b.$LAYER_ID.w_1", "b.$LAYER_ID.w_2")
    assert (found.right, found.layout) == (("c",), "fused_ffn")
    assert found.attributes == {"axis": 1, "permute": "[1, 0]"}


def test_empty_parts():
    found = values.joined([values.source(each, (0, 3), "float32") for each in "ab"], 0)
    read = Arrays({"a": numbered(0, 3), "b": numbered(0, 3)}).box
    assert found.box(read, True, (0, 1), (0, 2)).shape == (0, 2)
