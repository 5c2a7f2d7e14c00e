"""debug.no_compile: raises where a missing kernel is needed, and nowhere else."""

import jax
import pytest

import jaxeager as paddle
from jaxeager import errors


def test_the_error_names_call_line_shape_and_cause():
    shapes = [3, 1741], [2, 1742]

    def changed(x):
        return x.tanh()

    old, new = map(paddle.ones, shapes)
    changed(old)
    with paddle.debug.no_compile():
        changed(old)
        with pytest.raises(errors.PreconditionNotMetError) as raised:
            changed(new)
    text = str(raised.value)
    line = changed.__code__.co_firstlineno + 1
    assert f"no_compile: tanh at {__file__}:{line}" in text
    assert "[2, 1742]" in text
    assert "operand 0, axis 0: 3, 2; operand 0, axis 1: 1741, 1742" in text
    changed(new)  # the block has ended


@pytest.mark.single_calls
def test_the_kernel_exists_afterwards():
    x = paddle.ones([3, 1747])
    with paddle.debug.no_compile():
        with pytest.raises(errors.PreconditionNotMetError, match="no_compile: tanh"):
            x.tanh()
        assert [x.tanh().shape, x.tanh().shape] == [[3, 1747]] * 2
    x.tanh()
    with paddle.debug.no_compile():
        x.tanh()


def test_functions_of_jax_and_backward_may_not_compile_either():
    with paddle.debug.no_compile(), pytest.raises(errors.PreconditionNotMetError, match="jit"):
        jax.jit(lambda x: x * 1743)(3.0)
    x = paddle.ones([1744])
    x.stop_gradient = False
    y = x.tanh().sum()
    with (
        paddle.debug.no_compile(),
        pytest.raises(errors.PreconditionNotMetError, match="_grad"),
    ):
        y.backward()


def test_kernels_from_files_may_be_allowed(monkeypatch):
    from jaxeager.kernels import compilations

    site = compilations.Site("tanh", compilations.CallSite("", 0, 0, False))
    noted = compilations.Noted(site, "loaded", None, 0.1, True)
    with paddle.debug.no_compile(loaded=True):
        for listener in compilations._listeners:
            listener(noted)
    with paddle.debug.no_compile():
        (listener,) = compilations._listeners
        with pytest.raises(errors.PreconditionNotMetError):
            listener(noted)
    assert not compilations._listeners


@pytest.mark.single_calls
def test_a_segment_of_lazy_mode_is_refused_when_its_executable_is_due():
    x = paddle.ones([3])

    def step(calls):
        with paddle.lazy():
            y = x
            for _ in range(calls):
                y = y * 2.0
            return y.sum().item()

    for _ in range(4):
        step(3)
    step(4)
    with paddle.debug.no_compile():
        assert step(3) == 24.0
        assert [step(4), step(4)] == [48.0, 48.0]
        with pytest.raises(
            errors.PreconditionNotMetError, match=r"segment .* of 5 calls at .* more"
        ):
            step(4)
        assert [step(4), step(4)] == [48.0, 48.0]
