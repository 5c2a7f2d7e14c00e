"""auto_cast: the places of recorded casts, its contexts, and no cost outside."""

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from tests.support.leaves import small_leaf
from tests.support.recorded import recorded

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")

auto_cast = paddle.amp.auto_cast
HALF = ("float16", "bfloat16")


def name(tensor):
    return tensor.dtype.name


# ---- which dtype


@pytest.mark.parametrize("dtype", HALF)
def test_o1_white_ops_run_in_half_precision(dtype):
    x, y = small_leaf(), small_leaf(seed=1)
    with auto_cast(dtype=dtype):
        out = paddle.matmul(x, y)
    assert name(out) == dtype
    assert recorded(out) == "Matmul(Cast(leaf),Cast(leaf))"
    out.astype("float32").sum().backward()
    assert (name(x.grad), name(y.grad)) == ("float32", "float32")
    wanted = np.ones((2, 2), np.float32) @ y.numpy().T
    np.testing.assert_allclose(x.grad.numpy(), wanted, rtol=1e-2)


@pytest.mark.parametrize("dtype", HALF)
def test_o1_black_ops_run_in_float32(dtype):
    x = small_leaf(dtype)
    with auto_cast(dtype=dtype):
        out = x.exp()
    assert name(out) == "float32"
    assert recorded(out) == "Exp(Cast(leaf))"
    out.sum().backward()
    assert name(x.grad) == dtype


@pytest.mark.parametrize("dtype", HALF)
def test_o1_other_ops_run_in_the_widest_dtype_of_their_operands(dtype):
    wide, low = small_leaf(), small_leaf(dtype)
    with auto_cast(dtype=dtype):
        both, alone, mixed = wide + wide, low + low, low + wide
    assert (name(both), name(alone), name(mixed)) == ("float32", dtype, "float32")
    assert recorded(both) == recorded(alone) == "Add(leaf,leaf)"
    assert recorded(mixed) == "Add(Cast(leaf),leaf)"


def test_the_other_half_precision_becomes_active():
    x = small_leaf("float16")
    with auto_cast(dtype="bfloat16"):
        assert name(x + x) == "bfloat16"
        assert name(F.relu(x)) == "bfloat16"


def test_only_float32_and_half_precision_are_cast():
    wide, whole = small_leaf("float64"), paddle.to_tensor([[1, 2]])
    with auto_cast(dtype="bfloat16"):
        assert name(wide @ wide) == "float64"
        assert name(wide.exp()) == "float64"
        assert name(whole + whole) == "int64"


@pytest.mark.parametrize("use_promote", [True, False])
def test_o2(use_promote):
    wide, low = small_leaf(), small_leaf("bfloat16")
    with auto_cast(level="O2", dtype="bfloat16", use_promote=use_promote):
        found = [wide @ wide, wide + low, low.exp(), wide.exp(), F.embedding(whole(), low)]
    other = "float32" if use_promote else "bfloat16"
    assert [name(t) for t in found] == ["bfloat16", other, "bfloat16", other, "float32"]


def test_od_is_float32_but_for_the_white_list():
    wide, low = small_leaf(), small_leaf("bfloat16")
    with auto_cast(level="OD", dtype="bfloat16"):
        found = [wide @ low, low + low, low.exp()]
    assert [name(t) for t in found] == ["bfloat16", "float32", "float32"]


@pytest.mark.parametrize("arguments", [{"level": "O0"}, {"enable": False}])
def test_off(arguments):
    x = small_leaf()
    with auto_cast(dtype="bfloat16"):
        with auto_cast(dtype="bfloat16", **arguments):
            assert not paddle.is_autocast_enabled()
            assert name(x @ x) == "float32"
        assert name(x @ x) == "bfloat16"


def test_levels_and_dtypes_are_not_case_sensitive():
    with auto_cast(level="o2", dtype="BFLOAT16"):
        assert paddle.get_autocast_dtype() == "bfloat16"
    with auto_cast(dtype=paddle.bfloat16):
        assert paddle.get_autocast_dtype() == "bfloat16"


def test_custom_lists():
    x = small_leaf()
    with auto_cast(custom_white_list={"elementwise_add", "exp"}, custom_black_list={"matmul_v2"}):
        assert name(x + x) == "float16"
        assert name(x.exp()) == "float16"
        assert name(x @ x) == "float32"
    assert name(x + x) == "float32"


# ---- which operands


def whole():
    return paddle.to_tensor([0, 1])


def test_lists_are_cast_element_by_element():
    wide, low = small_leaf(), small_leaf("bfloat16")
    with auto_cast(dtype="bfloat16"):
        mixed, alone = paddle.concat([low, wide]), paddle.stack([low, low])
    assert (name(mixed), name(alone)) == ("float32", "bfloat16")
    assert recorded(mixed) == "Concat(Cast(leaf),leaf)"
    mixed.sum().backward()
    assert (name(wide.grad), name(low.grad)) == ("float32", "bfloat16")
    with auto_cast(dtype="bfloat16", custom_white_list=["concat"]):
        assert recorded(paddle.concat([low, wide])) == "Concat(leaf,Cast(leaf))"


def test_einsum():
    x, y = small_leaf(), small_leaf(seed=1)
    with auto_cast(dtype="bfloat16"):
        out = paddle.einsum("ij,jk->ik", x, y)
    assert name(out) == "bfloat16"
    out.backward(paddle.ones([2, 2], "bfloat16"))
    assert name(x.grad) == "float32"


def test_numpy_arrays_and_numbers_together_with_a_tensor():
    low = small_leaf("bfloat16")
    with auto_cast(dtype="bfloat16", custom_white_list=["elementwise_add"]):
        assert name(low + np.ones((2, 2), np.float32)) == "bfloat16"
    with auto_cast(dtype="bfloat16"):
        assert name(low + np.ones((2, 2), np.float32)) == "float32"
        assert name(low * 2.0) == "bfloat16"
        assert name(low + 1) == "bfloat16"


def test_operands_that_are_none_stay_none():
    x = small_leaf("bfloat16")
    with auto_cast(dtype="bfloat16"):
        out = F.layer_norm(x, 2)
    assert name(out) == "float32"
    assert recorded(out) == "LayerNorm(Cast(leaf))"


@pytest.mark.parametrize("dtype", HALF)
def test_batch_norm_casts_x_alone(dtype):
    norm = paddle.nn.BatchNorm1D(2)
    low, wide = small_leaf(dtype), small_leaf()
    with auto_cast(dtype=dtype):
        assert name(norm(low)) == dtype
        assert recorded(norm(low)) == "BatchNorm(leaf,leaf,leaf)"
        assert name(norm(wide)) == "float32"
    with auto_cast(dtype=dtype, level="O2", use_promote=False):
        out = norm(wide)
    assert name(out) == dtype
    assert recorded(out) == "BatchNorm(Cast(leaf),leaf,leaf)"
    out.astype("float32").sum().backward()
    assert {name(t) for t in (norm.weight.grad, wide.grad, norm._mean)} == {"float32"}


def test_layer_norm_at_o2_keeps_its_parameters():
    norm = paddle.nn.LayerNorm(2)
    with auto_cast(level="O2", dtype="bfloat16"):
        out = norm(small_leaf("bfloat16"))
    assert name(out) == "bfloat16"
    assert recorded(out) == "LayerNorm(leaf,leaf,leaf)"


def test_layer_norm_at_o1_is_float32_throughout():
    low = paddle.nn.LayerNorm(2).bfloat16()
    with auto_cast(dtype="bfloat16"):
        out = low(small_leaf("bfloat16"))
    assert recorded(out) == "LayerNorm(Cast(leaf),Cast(leaf),Cast(leaf))"
    out.sum().backward()
    assert name(low.weight.grad) == "bfloat16"


def test_linear_is_one_op():
    layer = paddle.nn.Linear(2, 3)
    x = small_leaf()
    with auto_cast(dtype="bfloat16"):
        out = layer(x)
    assert name(out) == "bfloat16"
    assert recorded(out) == "Add(Matmul(Cast(leaf),Cast(leaf)),Cast(leaf))"
    with auto_cast(dtype="bfloat16", custom_black_list=["linear_v2"]):
        assert recorded(layer(x)) == "Add(Matmul(leaf,leaf),leaf)"
        assert paddle.is_autocast_enabled()
    with auto_cast(dtype="bfloat16", level="OD"):
        assert name(layer(x)) == "bfloat16"
    with auto_cast(dtype="bfloat16"), pytest.raises(InvalidArgumentError):
        layer(small_leaf(shape=(2, 5)))


def test_conv_adds_its_bias_in_float32_as_paddle_does():
    conv = paddle.nn.Conv2D(1, 2, 2)
    with auto_cast(dtype="bfloat16"):
        out = conv(small_leaf(shape=(1, 1, 3, 3)))
    assert name(out) == "float32"
    assert recorded(out) == "Add(Cast(Conv2dFinal(Cast(leaf),Cast(leaf))),Reshape(leaf))"


def test_in_place_ops_are_left_alone():
    x = small_leaf()
    y = x * 1.0
    with auto_cast(dtype="bfloat16", custom_white_list=["exp", "add"]):
        y.exp_()
        y.add_(x)
    assert name(y) == "float32"
    assert recorded(y) == "Add(Exp(Scale(leaf)),leaf)"


def test_assignment_is_left_alone():
    y = paddle.zeros([2, 2], "bfloat16")
    with auto_cast(dtype="bfloat16", level="OD"):
        y[0] = small_leaf()[0].astype("bfloat16")
    assert name(y) == "bfloat16"


def test_casts_are_not_cast_for():
    x = small_leaf()
    with auto_cast(dtype="bfloat16", level="O2", use_promote=False):
        assert name(x.astype("float32")) == "float32"
        assert recorded(x.astype("float64")) == "Cast(leaf)"


def test_values_are_those_of_half_precision_operands():
    x, y = small_leaf(shape=(3, 4)), small_leaf(shape=(4, 2), seed=1)
    with auto_cast(dtype="bfloat16"):
        got = x @ y
    wanted = x.astype("bfloat16") @ y.astype("bfloat16")
    assert np.array_equal(got.numpy(), wanted.numpy())


# ---- backward


def test_backward_inside_the_context_runs_in_the_dtypes_of_the_forward():
    x, y = small_leaf(), small_leaf(seed=1)
    with auto_cast(dtype="bfloat16", level="O2", use_promote=False):
        loss = (x @ y).exp().sum()
        loss.backward()
    assert (name(loss), name(x.grad)) == ("bfloat16", "float32")


def test_create_graph_inside_the_context_records_the_same_as_outside():
    def second(inside):
        x = small_leaf()
        with auto_cast(dtype="bfloat16"):
            out = (x @ x).exp().sum()
            if inside:
                (grad,) = paddle.grad(out, x, create_graph=True)
        if not inside:
            (grad,) = paddle.grad(out, x, create_graph=True)
        grad.sum().backward()
        return recorded(grad), name(grad), x.grad.numpy()

    inside, outside = second(True), second(False)
    assert inside[:2] == outside[:2]
    assert inside[1] == "float32"
    np.testing.assert_array_equal(inside[2], outside[2])


def test_a_retained_graph_runs_again():
    x = small_leaf()
    with auto_cast(dtype="bfloat16"):
        out = (x @ x).sum()
    out.backward(retain_graph=True)
    first = x.grad.numpy()
    out.backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * first)


def test_no_grad_records_no_casts():
    x = small_leaf()
    with auto_cast(dtype="bfloat16"), paddle.no_grad():
        out = x @ x
    assert name(out) == "bfloat16"
    assert out.stop_gradient


# ---- with hooks


def test_hooks_on_saved_tensors_see_the_casts():
    seen = []

    def pack(tensor):
        seen.append(name(tensor))
        return tensor

    x, y = small_leaf(), small_leaf(seed=1)
    with (
        auto_cast(dtype="bfloat16"),
        paddle.autograd.saved_tensors_hooks(pack, lambda tensor: tensor),
    ):
        out = x @ y
    assert seen == ["bfloat16", "bfloat16"]
    assert recorded(out) == "Matmul(Cast(leaf),Cast(leaf))"
    out.astype("float32").sum().backward()
    assert name(x.grad) == "float32"


# ---- errors


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"level": "O3"}, InvalidArgumentError, "level should be O0, OD, O1 or O2. Received 'O3'"),
        ({"level": 1}, InvalidTypeError, "level must be a str such as 'O1', but received 1"),
        ({"dtype": "float32"}, InvalidArgumentError, "dtype should be 'float16' or 'bfloat16'"),
        ({"dtype": None}, InvalidTypeError, "dtype must be given"),
        ({"dtype": "half precision"}, InvalidTypeError, "dtype must be one of"),
    ],
)
def test_errors_are_raised_on_entry(arguments, error, text):
    context = auto_cast(**arguments)
    with pytest.raises(error, match=text), context:
        raise AssertionError("entered")


def test_off_takes_any_dtype():
    with auto_cast(enable=False, dtype="float32"):
        assert not paddle.is_autocast_enabled()


# ---- other names, and the current state


def test_other_names():
    x = small_leaf()
    with paddle.amp.amp_guard(dtype="bfloat16"):
        assert name(x @ x) == "bfloat16"
    with paddle.autocast("cpu", "bfloat16"):
        assert name(x @ x) == "bfloat16"
    with paddle.autocast("cpu", "bfloat16", enabled=False):
        assert name(x @ x) == "float32"
    assert paddle.get_autocast_cpu_dtype("cpu") == paddle.get_autocast_gpu_dtype() == "float16"


def test_half_precision_is_supported_on_devices_that_exist():
    assert paddle.amp.is_float16_supported()
    assert paddle.amp.is_bfloat16_supported("cpu")
    with pytest.raises(InvalidArgumentError, match="There is no device 'cpu:9' here"):
        paddle.amp.is_float16_supported(paddle.device.Place("cpu", 9))
    with pytest.raises(InvalidArgumentError, match="The device must be a string"):
        paddle.amp.is_bfloat16_supported("toaster")
