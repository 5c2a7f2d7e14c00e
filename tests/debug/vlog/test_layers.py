"""The verbose log of PyLayers, and the indent of their ops."""

import re

import pytest

import jaxeager as paddle
from jaxeager.base import core
from jaxeager.base.framework import vlog_guard
from tests.debug.vlog_lines import Outer, bars, leaf

pytestmark = pytest.mark.usefixtures("untouched")

# ---- PyLayers


def test_lines_inside_a_pylayer_are_indented(log):
    x = leaf()
    core.set_vlog_level(4)
    y = Outer.apply(x)
    forward = log()
    y.sum().backward()
    backward = log()
    core.set_vlog_level(0)
    assert forward[0] == "eager_py_layer] Outer:Running PyLayer Apply"
    assert forward[1] == "\teager_py_layer] Outer:Construct PyLayerContext"
    assert "\tRunning_AD_API: abs" in bars(forward)
    assert "\teager_py_layer] Inner:Running PyLayer Apply" in forward
    assert "\t\tRunning_AD_API: tanh" in bars(forward)
    assert "\t\teager_py_layer] Inner:Finish PyLayer Apply" in forward
    assert "\tAPI_Name: Inner2" in forward
    assert "\teager_py_layer] Outer:Create grad node GradNodePyLayer_Outer addr 0x" in forward
    assert "\teager_py_layer] Outer:PyLayer output size 1" in forward
    assert "\teager_py_layer] Outer:Finish PyLayer Apply" in forward
    assert "API_Name: Outer1" in forward
    assert "( input0 , [ {" in forward
    assert "\tpy_layer_node] Running Eager Backward Node: GradNodePyLayer_Outer" in backward
    assert "\tRunning_AD_API: sin" in bars(backward)
    assert "Running_AD_API_Grad: GradNodeAccumulation" in bars(backward)


def test_lists_of_a_pylayer(log):
    class Pair(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, pair, y):
            return [pair[0] * y, pair[1] + y], y * 3

        @staticmethod
        def backward(ctx, grads, grad):
            return [grads[0], grads[1]], grad

    with vlog_guard(6):
        a, b = leaf(), leaf()
        (first, _), third = Pair.apply([a, b], leaf())
        (first.sum() + third.sum()).backward()
        lines = log()
    assert "\teager_py_layer] Pair:Input size is 2" in lines
    assert "\teager_py_layer] Pair:PyLayer output size 2" in lines
    assert "( input1 , [ {" in lines
    assert "( out1 , [ {" in lines
    assert "\tpy_layer_node] Pylayer backward output size 2" in lines


def test_a_level_change_inside_a_pylayer_does_not_leak_its_indent(log):
    class Switches(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x, levels):
            for level in levels:
                core.set_vlog_level(level)
            return x.exp()

        @staticmethod
        def backward(ctx, grad):
            core.set_vlog_level(0)
            core.set_vlog_level(3)
            return grad

    x = leaf()
    for levels in ([0], [0, 3], [3, 0, 3], [0, 3, 0]):
        core.set_vlog_level(3)
        y = Switches.apply(x, levels)
        core.set_vlog_level(3)
        log()
        y.tanh().backward()
        lines = [line for line in log() if re.match(r"\t\w+\] ", line)]
        assert len(lines) == 2  # the node, and that the level is 0; then there are no tabs
        x.sin()
        assert not log()[0].startswith("\t")
    core.set_vlog_level(0)
    Switches.apply(x, [3])  # switched on inside: there is no tab to remove
    assert not [line for line in log() if line.startswith("\tdygraph_functions")]


@pytest.mark.parametrize("where", ["forward", "backward"])
def test_an_exception_inside_a_pylayer_does_not_leak_its_indent(where, log):
    class Fails(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            if where == "forward":
                raise ValueError("boom")
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise ValueError("boom")

    class Around(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return Fails.apply(x)

        @staticmethod
        def backward(ctx, grad):
            with paddle.enable_grad():
                Fails.apply(leaf()).sum().backward()

    x = leaf()
    with vlog_guard(3):
        with pytest.raises(ValueError, match="boom"):
            Around.apply(x).sum().backward()
        log()
        x.sin()
        assert not [line for line in log() if re.match(r"\t+\w+\]", line)]
