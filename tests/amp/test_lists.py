"""Every name of Paddle's lists maps to a row here or is known to have none; custom lists."""

import pytest

import jaxeager as paddle
from jaxeager.amp import amp_lists
from jaxeager.amp.amp_lists import ONE_OP, WITHOUT_ROW, keys_of, paddle_name
from jaxeager.amp.policy import LOW, ONLY_WIDE, ONLY_X, WIDE, WIDEST, policy_for
from jaxeager.core.dtypes import to_numpy
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.row import ROWS

FP16, BF16 = to_numpy("float16"), to_numpy("bfloat16")
LISTED = amp_lists.FP16_WHITE_LIST | amp_lists.FP16_BLACK_LIST | amp_lists.EXTRA_BLACK_LIST


def rules(level="O1", dtype=BF16, use_promote=True, white=None, black=None):
    """Return the rule of each row under a policy."""
    policy = policy_for(level, dtype, use_promote, white, black)
    return {key: policy.rule_of(key) for key in [*ROWS, *ONE_OP]}


def rows_with(rule, **arguments):
    """Return the names of the rows a policy has this rule for."""
    return {key for key, found in rules(**arguments).items() if found == rule}


def with_sparse(names):
    """Add the rows over the values of sparse tensors, which follow the dense ones."""
    return {*names, *(f"sparse_{name}" for name in names if f"sparse_{name}" in ROWS)}


@pytest.mark.parametrize("name", sorted(LISTED))
def test_every_listed_name_has_a_row_or_is_known_to_have_none(name):
    assert bool(keys_of(name)) != (name in WITHOUT_ROW)


def test_every_other_name_belongs_to_a_row():
    assert set(amp_lists._OTHER_NAMES) <= set(ROWS) | ONE_OP
    assert set(ROWS) >= ONLY_X | ONLY_WIDE
    assert not WITHOUT_ROW - LISTED


def test_rows_in_half_precision():
    white = with_sparse("conv2d einsum flash_attn matmul linear max_pool2d_with_index".split())
    assert rows_with(LOW) == white
    assert rows_with(LOW, level="O2") == white
    assert rows_with(LOW, level="OD", dtype=FP16) == white


BLACK = set(
    "tan acos asin sinh cosh atanh tanh_shrink erfinv exp expm1 log log10 log2 reciprocal rsqrt "
    "pow square sum mean mean_all prod cumprod cumsum dist p_norm frobenius_norm group_norm "
    "layer_norm softmax softplus log_softmax cross_entropy_with_softmax "
    "sigmoid_cross_entropy_with_logits nll_loss huber_loss cross_entropy_with_soft_label "
    "sigmoid_cross_entropy_with_label log_loss log_loss_with_label hsigmoid_loss "
    "margin_cross_entropy renorm".split()
)


RESIZED = set(
    "linear_interp nearest_interp bilinear_interp bicubic_interp trilinear_interp".split()
)
EXTRA = {"embedding", "embedding_of_rows", "scatter"} | RESIZED


def test_rows_in_float32():
    extra = with_sparse(EXTRA)
    assert rows_with(WIDE) == with_sparse(BLACK) | extra | ONLY_WIDE
    assert rows_with(WIDE, level="O2") == extra | ONLY_WIDE
    assert rows_with(WIDEST, level="OD") == set()


def test_all_other_rows_meet_in_the_widest_dtype():
    left = set(ROWS) | ONE_OP
    assert rows_with(WIDEST) == left - rows_with(LOW) - rows_with(WIDE)
    assert rows_with(LOW, level="O2", use_promote=False) == left - rows_with(WIDE, level="O2")


@pytest.mark.parametrize("level", ["OD", "O1", "O2"])
def test_rows_that_record_the_same_node_have_the_same_rule(level):
    found = rules(level)
    by_node = {}
    for row in ROWS.values():
        by_node.setdefault(row.grad_name, set()).add(found[row.name])
    assert [node for node, several in by_node.items() if len(several) > 1] == []


def test_promotion_is_a_matter_of_o2_only():
    assert rules(use_promote=False) == rules(use_promote=True)


@pytest.mark.parametrize(("row", "name"), [("matmul", "matmul_v2"), ("sum", "reduce_sum")])
def test_custom_lists_know_both_names(row, name):
    for given in (row, name):
        assert rules(white=[given])[row] == LOW
        assert rules(black=(given,))[row] == WIDE


def test_a_custom_name_goes_before_paddles_list_whatever_name_that_has():
    assert rules(white={"sum"})["sum"] == LOW
    assert rules(black={"matmul"})["matmul"] == WIDE
    assert rules(white={"embedding"}, level="O2")["embedding"] == LOW


def test_a_name_that_two_ops_have_had_means_both():
    found = rules(white=["mean"])
    assert (found["mean"], found["mean_all"]) == (LOW, LOW)


def test_complex_numbers_of_two_halves_do_not_exist():
    assert rules(white=["complex"])["complex"] == WIDE


@pytest.mark.parametrize(("white", "black"), [("exp", "exp"), ("matmul", "matmul_v2")])
def test_an_op_in_both_custom_lists_is_refused(white, black):
    with pytest.raises(InvalidArgumentError, match="Custom white list overlap custom black list"):
        policy_for("O1", FP16, True, [white], {black})


@pytest.mark.parametrize("given", ["exp", 3, [3], {"exp": 1}])
def test_a_custom_list_is_a_set_list_or_tuple_of_names(given):
    text = "custom_black_list must be a set, list or tuple of names"
    with (
        pytest.raises(InvalidTypeError, match=text),
        paddle.amp.auto_cast(custom_black_list=given),
    ):
        raise AssertionError("entered")


def test_a_name_of_no_op_gives_a_warning():
    with (
        pytest.warns(UserWarning, match="there is no op named matmull here"),
        paddle.amp.auto_cast(custom_white_list=["matmull", "matmul", "flash_attn"]),
    ):
        pass


def test_the_same_arguments_give_the_same_policy():
    one = policy_for("O1", FP16, True, ["exp"], None)
    assert policy_for("O1", FP16, True, {"exp"}, ()) is one


def test_the_lists_a_user_sees_are_copies():
    paddle.amp.white_list()["float16"]["O1"].clear()
    paddle.amp.black_list()["bfloat16"]["O1"].clear()
    assert "conv2d" in paddle.amp.white_list()["float16"]["O1"]
    assert "exp" in paddle.amp.black_list()["bfloat16"]["O1"]


def test_names_as_paddle_prints_them():
    pairs = {"add": "elementwise_add", "mean_all": "mean", "p_norm": "p_norm", "cast": "cast"}
    assert {name: paddle_name(name) for name in pairs} == pairs
