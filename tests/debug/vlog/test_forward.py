"""The verbose log of forward; the lines themselves are compared with Paddle's."""

import re
import threading

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.base.framework import vlog_guard
from jaxeager.debug.common import naming, tensor_text
from jaxeager.debug.vlog import forward as vlog_forward
from jaxeager.debug.vlog import vlog
from jaxeager.errors import InvalidArgumentError
from jaxeager.kernels import executables
from jaxeager.nn import functional as F
from jaxeager.ops.row import ROWS
from tests.debug.vlog_lines import block, heads, leaf
from tests.support.here import BACKEND, PLACE

# ---- which lines


def test_level_3_names_the_api_the_call_and_what_it_took_and_gave(entries):
    x = leaf([2])
    name = x.name
    found = entries(lambda: paddle.exp(x))
    assert heads(found) == [
        "Running_AD_API: exp",
        "Running_C++_API: exp1",
        "Finish_C++_API: exp1",
        "Forward Debug Info {",
        "Finish_AD_API: exp",
    ]
    assert found[3].text == (
        "\nForward Debug Info {\nAPI_Name: exp1 \nInput: [ \n( x , {\n"
        f"\tName: {name}, \n\tType: DenseTensor,\n\tDtype: float32,\n\tPlace: {PLACE},\n"
        "\tShape: 2,\n\tDistAttr: Unknown\n}), ]  \nOutput: [ \n( out , {\n\tName: None, \n"
        f"\tType: DenseTensor,\n\tDtype: float32,\n\tPlace: {PLACE},\n\tShape: 2,\n"
        "\tDistAttr: Unknown\n}), ] } "
    )


def test_an_op_without_a_gradient_finishes_before_its_block(entries):
    found = heads(entries(lambda: paddle.zeros([2])))
    assert found[-2:] == ["Finish_AD_API: full", "Forward Debug Info {"]


def test_level_5_shows_conversions_of_operands_and_the_edges(entries):
    x = leaf([2])
    found = heads(entries(lambda: paddle.sum(x), 5))
    node = x.grad_fn if x.grad_fn is not None else x._meta.node
    assert found[1:4] == [
        "No Type Promotion for sum_ad_func api.",
        "No Type Autocast for sum_ad_func api.",
        "{ Input: [",
    ]
    assert re.fullmatch(r"Create node SumGradNode addr 0x\w+", found[4])
    pointer = found[4].rpartition(" ")[2]
    assert (
        f"Add Edges for slot: 0, the Edge is from SumGradNode({pointer}) to "
        f"GradNodeAccumulation({node.node_ptr():#x})" in found
    )


def test_promotion_is_written_as_a_cast_inside_and_warned_of_once_per_op(entries):
    x, y = leaf([1]), leaf([1], "float64")
    promoted = "Got different data type, run type promotion automatically"
    found = entries(lambda: (x + y, x + y, x - y), 5)
    first = heads(found)
    assert first[:3] == [
        "Running_AD_API: add",
        f"{promoted}, this may cause data type been changed.",
        f"{promoted}. The type after type promotion is float64",
    ]
    assert first.count("Running_AD_API: add") == 4
    assert first.count(first[1]) == 2
    assert first.index("Finish_AD_API: cast") + 1 == first.index("Running_AD_API: add", 1)


def test_integers_that_a_function_casts(entries):
    found = heads(entries(lambda: paddle.tanh(paddle.to_tensor([1, 2])), 5))
    assert "math operation got integer input data type, run type autocast." in found
    assert found.count("Running_AD_API: tanh") == 2


def test_mixed_precision_says_what_it_casts(entries):
    x, weight = leaf([1, 2]), leaf([2, 1])

    def run():
        with paddle.amp.auto_cast(dtype="bfloat16"):
            paddle.matmul(x, weight)

    found = heads(entries(run, 6))
    assert found[2:6] == [
        "Running_AD_API: matmul",
        "Check and Prepare For AMP",
        "AMP GetAmpDestDtype: op(matmul) amp_dtype(bfloat16) amp_level(2).",
        "AMP AmpAutoCasts: op_name(matmul) input(x) dst_dtype(bfloat16).",
    ]
    assert "AMP AmpAutoCasts: op_name(matmul) input(y) dst_dtype(bfloat16)." in found
    assert found.count("Running_AD_API: matmul") == 2
    assert found.count("Running_AD_API: cast") == 2


def test_mixed_precision_and_promotion_are_distinguished(entries):
    x, y = leaf([1]), leaf([1], "float64")

    def run():
        with paddle.amp.auto_cast(dtype="bfloat16", custom_white_list={"add"}):
            return x + y

    found = heads(entries(run, 6))
    assert "AMP AmpAutoCasts: op_name(add) input(x) dst_dtype(bfloat16)." in found
    promoted = [text for text in found if "The type after type promotion is float64" in text]
    assert len(promoted) == 1


def test_an_in_place_call_says_so(entries):
    x, y = leaf([1]) * 1, leaf([1])
    found = heads(entries(lambda: x.add_(y), 5))
    assert found[:2] == [
        "Running_AD_API: add_",
        "No AMP for add__ad_func because it is a inplace or cast api.",
    ]
    assert "Running_C++_API: add_1" in found
    assert "Tensor() uses Inplace Strategy." in found
    found = heads(entries(lambda: x.add_(y), 6))
    assert "Tensor(add_1_out_float32_1) uses Inplace Strategy." in found


def test_level_6_says_how_an_op_was_called(entries):
    x = leaf([2])
    first = lambda function: [e.text for e in entries(function, 6) if e.module in EAGER]  # noqa: E731
    assert first(lambda: paddle.sum(x)) == [
        "Call eager_api_sum", "Running Eager Final State API: sum",
    ]  # fmt: skip
    assert first(lambda: x + x) == [
        "Running Eager tensor__add__method", "Calling add_ad_func in tensor__add__method",
    ]  # fmt: skip
    assert first(lambda: 1 - x) == ["Running Eager tensor__rsub__method"]
    assert first(lambda: x[0]) == ["Call new indexing strategy _getitem_dygraph"]
    assert first(lambda: x > x)[0] == "Running Eager tensor__gt__method"


EAGER = {"ops_api", "eager_op_function", "eager_math_op_patch", "eager_method"}


def test_memory_is_written_at_level_6(entries):
    found = entries(lambda: paddle.zeros([3, 2], "float64"), {"dense_tensor": 6})
    assert found == [(0, "dense_tensor", "Allocate data with bytes: 48")]


def test_a_leaf_gets_its_number_when_it_is_made(entries):
    made = []

    def run():
        x = paddle.zeros([2])
        x.stop_gradient = False
        made.extend([x, x * 2])

    found = heads(entries(run, 5))
    pointer = made[0]._meta.node.node_ptr()
    assert f"Construct GradNodeAccumulation({pointer:#x})" in found
    assert any(text.endswith(f"to GradNodeAccumulation({pointer:#x})") for text in found)


def test_the_kernel_and_whether_it_was_compiled(entries):
    x = leaf([5, 2])
    run = lambda: paddle.cumsum(x, axis=1)  # noqa: E731
    run()
    texts = [entry.text for entry in entries(run, {"api": 4})]
    assert texts[0] == f"cumsum API kernel key: [{BACKEND}, NCHW, float32]"
    place = f"backend: {BACKEND},  layout: NCHW,  dtype: float32"
    assert texts[1].startswith(
        f'cumsum kernel: {{"input":[\n\t{place}\n],\n"output":[\n\t{place}\n],\n'
        '"attribute":[\n\t"Scalar"'
    )
    assert re.match(r"cumsum kernel cache: hit for \(float32\[5, 2\]\) with axis=1", texts[2])
    for kernel in ROWS["cumsum"].forward_kernels.values():
        executables.clear(kernel)
    again = [entry.text for entry in entries(run, {"api": 4})]
    assert again[2] == texts[2].replace("hit", "compiled")


def test_an_op_that_fails_has_written_its_lines_up_to_there(entries):
    x, y = paddle.ones([2, 3]), paddle.ones([4, 5])

    def run():
        with pytest.raises(InvalidArgumentError):
            paddle.matmul(x, y)
        paddle.matmul(x, y.reshape([5, 4])[:3])

    found = heads(entries(run, 5))
    assert found[0] == "Running_AD_API: matmul"
    assert found[found.index("Running_C++_API: matmul1") + 1].startswith("matmul API kernel key")
    assert "Finish_C++_API: matmul1" not in found
    assert "Finish_C++_API: matmul2" in found
    assert not vlog_forward._thread.calls


def test_an_in_place_call_that_fails_after_its_kernel_leaves_no_name_behind(entries):
    x, y = paddle.ones([1, 3]), paddle.ones([2, 3])

    def run():
        with pytest.raises(InvalidArgumentError):
            x.add_(y)
        x.add_(x)

    found = heads(entries(run))
    assert "Running_C++_API: add_1" in found
    assert "Finish_AD_API: add_" in found
    assert not vlog_forward._thread.calls
    assert not naming._reserved.calls


def test_optional_operands_and_lists(entries):
    x = leaf([1, 2])
    found = entries(lambda: F.layer_norm(x, [2]))
    assert "( scale , { UnDefinedTensor }),  \n( bias , { UnDefinedTensor }), ]" in block(found)
    found = entries(lambda: paddle.concat([x, x]))
    text = block(found)
    assert "( x , [ {\n\tName:" in text
    assert "},  ]), ]  \nOutput" in text
    found = entries(lambda: paddle.split(x, 2, axis=1))
    assert "( out , [ {\n\tName: None" in block(found)


@pytest.mark.parametrize("kind", ["SGD", "Momentum", "Adam", "AdamW", "Lamb"])
def test_a_step_of_an_optimizer_is_a_call_per_parameter(entries, kind):
    model = paddle.nn.Linear(2, 1)
    optimizer = getattr(paddle.optimizer, kind)(parameters=model.parameters())
    model(paddle.ones([1, 2])).sum().backward()
    name = f"{kind.lower()}_"
    for _ in range(2):
        found = heads(entries(optimizer.step))
        calls = [text for text in found if text.startswith(f"Running_C++_API: {name}")]
        assert calls == [f"Running_C++_API: {name}1", f"Running_C++_API: {name}2"]
    mine = block(entries(optimizer.step, 6), f"{name}1 ")
    assert re.findall(r"\( (\w+) ,", mine)[:2] == ["param", "grad"]
    assert "( param_out , {\n\tName: linear" in mine


# ---- the text of a tensor


def test_the_text_follows_the_level_of_the_module_that_prints(entries):
    x = leaf([2])
    found = entries(lambda: paddle.exp(x), {"dygraph_functions": 6})
    text = block(found)
    assert "Name: exp1_out_float32_2," in text
    assert "ADInfo:{ \n\t\tGrad:  {" in text


def test_level_4_still_shows_dtype_and_shape(entries):
    found = entries(lambda: paddle.exp(leaf([2])), {"dygraph_functions": 4})
    text = block(found)
    for field in ("Initialized: 1", "Tensor_Ptr:0x", "Tensor_Impl_Ptr: 0x", "Dtype: float32"):
        assert field in text
    assert "\t\tShape: 2,\n" in text


def test_pointers_are_never_given_twice():
    seen = set()
    for _ in range(50):
        x = paddle.ones([1])
        text = tensor_text.tensor_text(x, 4)
        seen.add(re.search(r"Tensor_Ptr:(\w+)", text)[1])
        del x
    assert len(seen) == 50


def test_views_share_their_memory_s_number():
    x = paddle.ones([4])
    y = x.reshape([2, 2])
    numbers = [re.search(r"Impl_Ptr: (\w+)", tensor_text.tensor_text(t, 4))[1] for t in (x, y)]
    assert numbers[0] == numbers[1]
    again = re.search(r"Impl_Ptr: (\w+)", tensor_text.tensor_text(paddle.ones([4]), 4))[1]
    assert again != numbers[0]


@pytest.mark.parametrize(
    "dtype",
    ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
     "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2"],
)  # fmt: skip
@pytest.mark.parametrize("shape", [[], [0], [2, 2]])
def test_every_dtype_and_shape_has_a_text_at_every_level(dtype, shape):
    x = paddle.ones(shape, "float32").astype(dtype)
    for level in (3, 4, 5, 6, 7, 11):
        text = tensor_text.tensor_text(x, level)
        assert f"Dtype: {dtype}," in text
        assert f"Shape: {', '.join(map(str, shape))},\n" in text
    one = "(1,0)" if dtype.startswith("complex") else "1"
    count = int(np.prod(shape))
    assert f"  - data: [{' '.join([one] * count)}] }}" in text


def test_values_that_are_no_numbers(entries):
    x = paddle.to_tensor([float("nan"), float("inf"), 1e-30])
    found = entries(lambda: x.abs(), {"dygraph_functions": 11})
    assert "  - data: [nan inf 1e-30] }" in block(found)
    key = tensor_text.tensor_text(jax.random.key(0), 11)
    assert "data: [...]" in key


def test_a_leaf_shows_the_gradient_it_has():
    x = leaf([2])
    (x * 3).sum().backward()
    text = tensor_text.tensor_text(x, 11)
    assert "\t\t\tInitialized: 1" in text
    assert "data: [3 3]" in text


# ---- no side effects of the tool


def losses(level=None):
    """Train two steps, and return all their results."""
    paddle.seed(3)
    naming.reset()
    with paddle.utils.unique_name.guard():
        model = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.Dropout(0.5))
        adam = paddle.optimizer.Adam(parameters=model.parameters())
        found = []
        for _ in range(2):
            x = paddle.randn([2, 3])
            loss = (model(x).tanh() ** 2).sum()
            loss.backward()
            found += [loss.numpy(), *(p.grad.numpy() for p in model.parameters())]
            adam.step()
            adam.clear_grad()
        names = sorted(adam.state_dict())
        found += [p.numpy() for p in model.parameters()]
    return found, names, loss.name, paddle.randn([2]).numpy()


@pytest.mark.parametrize("level", [3, 6, 11])
def test_the_log_changes_no_result(level, capsys):
    counters = dict(paddle.tensor.tensor._counters)
    expected = losses()
    paddle.tensor.tensor._counters.clear()
    paddle.tensor.tensor._counters.update(counters)
    with vlog_guard(level):
        found = losses()
    for ours, theirs in zip(found[0], expected[0], strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert found[1] == expected[1]
    assert found[2] == expected[2]
    np.testing.assert_array_equal(found[3], expected[3])
    assert "Running_AD_API" in capsys.readouterr().err


def test_traced_arrays_have_a_text(entries):
    def run():
        def step(array):
            return paddle.exp(paddle.to_tensor(array))._array

        jax.jit(step)(np.ones([2], np.float32))

    assert "Running_AD_API: exp" in heads(entries(run, 11))


def test_a_level_that_changes_inside_a_call_is_no_error(capsys):
    x = leaf([2])
    guard = vlog_guard(5)

    def pack(value):
        guard.__enter__()
        return value

    with paddle.autograd.saved_tensors_hooks(pack, lambda value: value):
        y = x.exp()
    guard.__exit__(None, None, None)
    y.sum().backward()
    with vlog_guard(5):
        x.exp()
    assert not vlog_forward._thread.calls
    assert not vlog._active


def test_a_call_that_the_log_goes_off_in_is_forgotten(entries):
    x = leaf([2])
    guard = vlog_guard(5)

    def pack(value):
        guard.__exit__(None, None, None)
        return value

    guard.__enter__()
    with paddle.autograd.saved_tensors_hooks(pack, lambda value: value):
        x.exp()
    found = heads(entries(lambda: x.abs()))
    assert found[0] == "Running_AD_API: abs"
    assert not vlog_forward._thread.calls


def test_other_threads_are_not_shown_in_a_guard(entries):
    def run():
        thread = threading.Thread(target=lambda: paddle.ones([2]) + 1)
        thread.start()
        thread.join()
        paddle.zeros([1])

    found = heads(entries(run))
    assert found[0] == "Running_AD_API: full"
    assert not any("scale" in text for text in found)


def test_higher_derivatives_are_no_calls_of_forward(entries):
    x = leaf([2])
    y = (x**3).sum()
    found = heads(entries(lambda: paddle.grad(y, x, create_graph=True)))
    assert not [text for text in found if "grad" in text and text.startswith("Running_AD_API:")]
