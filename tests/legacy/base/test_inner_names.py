"""Names of inner modules that differ from Paddle's: those that raise, and restored ones."""

import logging

import pytest

import jaxeager as paddle
from jaxeager import base
from jaxeager.base import framework
from tests.support.here import IS_ON_CPU


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (paddle.enable_static, "Leave enable_static"),
        (paddle.static.Program, r"paddle\.static\.Program: There are no static graphs"),
        (base.Executor, r"paddle\.static\.Executor: There are no"),
        (lambda: framework.program_guard(1), r"paddle\.static\.program_guard"),
        (paddle.static.nn.fc, "The layers of paddle.nn do the same work"),
        (lambda: paddle.static.amp.decorate(1), "paddle.amp.auto_cast and decorate"),
        (paddle.static.quantization.QuantWeightPass, "QAT, PTQ, ImperativeQuantAware and Imp"),
        (paddle.static.quantization.quant_config.BaseQuantizer, "quant_config.BaseQuantizer: The"),
        (paddle.static.quantization.utils.load_variable_data, r"utils\.load_variable_data: There"),
        (base.disable_dygraph, "no static graphs"),
        (lambda: framework._dygraph_guard(None).__enter__(), "no static graphs"),
        (framework.static_only(lambda: 3), "<lambda>: There are no static graphs"),
        (base.dygraph.base.switch_to_static_graph(lambda: 3), "<lambda>: There are no static"),
        (paddle.static.Variable, "A Variable belongs to a static graph"),
        (lambda: base.LayerHelper("fc").append_op(type="mul"), "fc: there are no static graphs"),
    ],
)
def test_static_graphs_are_refused_when_they_are_called(call, message):
    with pytest.raises(NotImplementedError, match=message):
        call()


def test_refused_names_keep_their_kind_and_have_a_reason():
    assert isinstance(paddle.static.Program, type)
    assert paddle.static.data.__name__ == "data"
    assert "no static graphs" in paddle.static.data.refused
    assert not isinstance(3, paddle.static.Program)


def test_guards_put_back_what_was():
    before = paddle.get_device()
    for guard in (base.dygraph.guard("cpu"), framework._dygraph_place_guard("cpu")):
        with pytest.raises(KeyError), guard:
            raise KeyError
    assert paddle.get_device() == before
    framework._set_expected_place(before)
    with framework.flag_guard("FLAGS_check_nan_inf", True):
        assert framework._global_flags()["FLAGS_check_nan_inf"]
    assert not framework._global_flags()["FLAGS_check_nan_inf"]
    with framework._dygraph_guard(framework._dygraph_tracer()):
        pass
    assert framework._get_paddle_place_list(["cpu", None])[1] is None


def test_older_ways_to_a_tensor():
    x = paddle.ones([2])
    assert base.dygraph.to_variable(x) is x
    named = base.dygraph.to_variable([1.0], name="of_a_list", dtype="float64")
    assert (named.name, named.dtype) == ("of_a_list", paddle.float64)
    made = base.LayerHelper("a", name="mine").create_parameter(None, [2], stop_gradient=True)
    assert made.stop_gradient
    assert base.LayerHelper("a", name="mine").name == "mine"
    assert base.LayerHelper("a").param_attr.name is None
    assert base.LayerHelper("a", bias_attr=False).bias_attr is False


def test_a_logger_has_one_handler():
    for _ in range(2):
        logger = base.log_helper.get_logger(
            "jaxeager.test_inner_names", logging.INFO, "%(message)s"
        )
    assert len(logger.handlers) == 1


def test_bits_of_bfloat16():
    bits = base.data_feeder.convert_float_to_uint16([1.5, -3.0])
    assert base.data_feeder.convert_uint16_to_float(bits).tolist() == [1.5, -3.0]


def test_base_core_answers_what_it_is_compiled_with():
    core = base.core
    names = [name for name in dir(core) if name.startswith("is_compiled_with")]
    questions = set(names) - {"is_compiled_with_custom_device"}
    assert all(isinstance(getattr(core, name)(), bool) for name in questions)
    assert core.is_bfloat16_supported("cpu")
    assert not core.is_float16_supported("cpu")
    if IS_ON_CPU:
        with pytest.raises(RuntimeError, match="There is no GPU here"):
            paddle.static.cuda_places()
    with pytest.raises(ValueError, match="The device is 'cpu' or 'gpu'"):
        paddle.static.device_guard("moon").__enter__()


def test_names_of_other_files_are_the_same_objects():
    for name in ("ParamAttr", "no_grad", "grad", "get_flags", "CPUPlace", "get_default_dtype"):
        assert getattr(paddle.framework, name) is getattr(paddle, name)
    assert paddle.framework.base is base
    assert paddle.framework.Program is paddle.static.Program
    for module in (paddle.framework, paddle.tensor, framework):
        with pytest.raises(AttributeError, match="has no attribute 'no_such'"):
            module.no_such  # noqa: B018 - asking raises


def test_tensors_have_the_private_methods_of_inner_code():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    (x * x).sum().backward()
    assert x._slice(1, 2).tolist() == [[3.0, 4.0]]
    assert x._slice(1, 2).stop_gradient
    assert (x._numel(), x._grad_ivar().tolist()) == (4, [[2.0, 4.0], [6.0, 8.0]])
    y = paddle.ones([2, 2])
    assert y._grad_value() is None
    y._copy_gradient_from(x)
    assert y.grad.tolist() == x.tolist()
    with pytest.raises(ValueError, match="takes a Tensor, but received int"):
        y._copy_gradient_from(3)
    assert y._is_initialized()
    y._clear()
    assert not y._is_initialized()


def test_lists_of_tensors_refuse():
    t, x = paddle.tensor, paddle.ones([1])
    with pytest.raises(ValueError, match=r"the index is a Tensor of shape \[1\], but received 1"):
        t.array_write(x, 1)
    with pytest.raises(IndexError, match="the list has 0 tensors, but the index is 3"):
        t.array_write(x, paddle.to_tensor([3]))
    with pytest.raises(TypeError, match="array_length takes a list, but received Tensor"):
        t.array_length(x)


def test_every_function_of_a_module_is_there():
    for name in ("math", "creation", "manipulation", "linalg", "random", "search", "stat"):
        module = getattr(paddle.tensor, name)
        assert all(callable(getattr(module, each)) for each in module.__all__)
    assert paddle.tensor.math.add is paddle.add


def test_control_flow_refuses():
    nn, x = paddle.static.nn, paddle.to_tensor([True, False])
    with pytest.raises(ValueError, match="the condition is a Tensor of one element"):
        nn.cond(x, print, print)
    with pytest.raises(ValueError, match="the list of pairs is empty"):
        nn.case([])
    with pytest.raises(ValueError, match="the index is a Tensor of one element, not 3"):
        nn.switch_case(3, [print])
    with pytest.raises(ValueError, match="there are no functions"):
        nn.switch_case(paddle.to_tensor(1), [])
    with pytest.raises(TypeError, match="loop_vars is a list or a tuple"):
        nn.while_loop(print, print, 3)
