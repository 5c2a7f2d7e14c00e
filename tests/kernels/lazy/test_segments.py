"""Segments: their compilation, the buffers they donate, their errors: kernels/lazy/segments.py."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import ExternalError
from jaxeager.kernels import tracing
from jaxeager.kernels.lazy import mode, segments
from jaxeager.kernels.lazy.pending import Pending
from tests.support.lazy_programs import segments_of


def totals():
    return paddle.lazy_report()[:4]


@pytest.fixture
def waiting():
    """Make segments compile on first use."""
    paddle.set_flags({"FLAGS_lazy_wait": True})
    yield
    paddle.set_flags({"FLAGS_lazy_wait": False})


def test_a_segment_is_compiled_by_the_times_it_has_come():
    x = paddle.to_tensor([1.0])
    with paddle.lazy():
        for times in range(1, 7):
            assert (x * 2.0 + 1.0).item() == 3.0
            one_by_one = min(times, segments.CHANGE_OVER - 1)
            executables = int(times >= segments.CHANGE_OVER - 2)
            assert totals() == (2 * times, times, one_by_one, executables)


def test_the_flag_has_it_compiled_at_once(waiting):
    with paddle.lazy():
        assert (paddle.to_tensor([1.0]) * 2.0 + 1.0).item() == 3.0
    assert totals() == (2, 1, 0, 1)


def test_a_segment_whose_results_are_dropped_is_not_run(waiting):
    with paddle.lazy():
        paddle.to_tensor([1.0]) * 2.0
    assert totals() == (1, 1, 0, 0)


def test_results_are_forgotten_behind_their_last_use():
    """They are freed kernel by kernel, as the tape does; an unused one is not kept at all."""
    x = paddle.to_tensor([[3.0, 1.0, 2.0]])
    with paddle.lazy():
        y = paddle.topk(x, 2)[0] * 2.0
        y.numpy()
        (segment,) = segments_of(mode.block_recorder())
    assert segment.live == (2,)
    assert segment.unused == [[1], [0]]


def test_half_precision_is_rounded_at_each_op_as_without_the_mode(waiting):
    """XLA would compute a chain of bfloat16 in float32, and round once."""
    x = paddle.to_tensor(np.linspace(0.1, 3, 64), dtype="bfloat16")

    def chain():
        y = x
        for _ in range(6):
            y = y * x + x
        return y.astype("float32").numpy()

    want = chain()
    with paddle.lazy():
        np.testing.assert_array_equal(chain(), want)


# ---- donated buffers


def trained(times, after_step=None):
    """Return a layer that is trained, and the result of ``after_step``."""
    paddle.seed(1)
    layer = paddle.nn.Linear(3, 3)
    adam = paddle.optimizer.Adam(0.1, parameters=layer.parameters())
    found = []
    for _ in range(times):
        layer(paddle.ones([2, 3])).sum().backward()
        adam.step()
        adam.clear_grad()
        if after_step is not None:
            found.append(after_step(layer, adam))
    return layer, found


def test_parameters_and_moments_are_given_away():
    with paddle.lazy():
        layer, _ = trained(8)
        layer.weight.numpy()
        steps = [each for each in segments_of(mode.block_recorder()) if each.seen > 3]
    assert [len(each.donated) for each in steps] == [2 * 3 + 2]  # and the powers of the betas


HELD = {
    "tensor": lambda layer, adam: layer.weight.detach(),
    "clone": lambda layer, adam: layer.weight.clone(),
    "array": lambda layer, adam: layer.weight._array,
    "value": lambda layer, adam: jnp.asarray(layer.weight._array),
    "view": lambda layer, adam: layer.weight.detach()[0],
    "numpy": lambda layer, adam: layer.weight.numpy(),
    "numpy without a copy": lambda layer, adam: np.asarray(layer.weight._array),
    "dlpack": lambda layer, adam: np.from_dlpack(layer.weight._array),
    "state": lambda layer, adam: next(v for k, v in adam.state_dict().items() if "moment1" in k),
}


@pytest.mark.parametrize("name", HELD)
def test_a_held_array_keeps_its_value_while_later_steps_run(name):
    """Any holder keeps it, while later steps run; a detached tensor follows, as always."""
    read = [np.array(each) for each in trained(9, HELD[name])[1]]
    with paddle.lazy():
        _, held = trained(9, HELD[name])
        for one, other in zip(held, read, strict=True):
            np.testing.assert_allclose(np.array(one), other, 1e-5, 1e-6)
    for one, other in zip(held, read, strict=True):
        np.testing.assert_allclose(np.array(one), other, 1e-5, 1e-6)


def test_a_step_without_the_mode_gives_nothing_away_that_came_from_it():
    """Other code may hold the value of a pending array, too."""
    paddle.seed(1)
    layer = paddle.nn.Linear(3, 3)
    sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())

    def step():
        layer(paddle.ones([2, 3])).sum().backward()
        sgd.step()
        sgd.clear_grad()

    with paddle.lazy():
        step()
        step()
    assert type(layer.weight._array) is Pending
    held = jnp.asarray(layer.weight._array)
    before = np.array(held)
    for _ in range(3):
        step()
    np.testing.assert_array_equal(held, before)
    assert not np.array_equal(layer.weight.numpy(), before)


def test_a_guard_of_transfers_allows_the_copies_of_the_first_call():
    paddle.seed(1)
    layer, x = paddle.nn.Linear(3, 3), paddle.ones([2, 3])
    adam = paddle.optimizer.Adam(0.1, parameters=layer.parameters())
    with paddle.lazy():
        for times in range(segments.CHANGE_OVER + 1):
            with jax.transfer_guard("disallow_explicit" if times else "allow"):
                layer(x).sum().backward()
                adam.step()
                adam.clear_grad()
        (segment,) = [each for each in segments_of(mode.block_recorder()) if each.seen > 3]
    assert segment.was_called
    assert segment.donated


def test_an_interrupt_while_its_executable_is_replaced_gives_nothing_away(waiting, monkeypatch):
    """The new executable donates less than the one that is still there."""
    paddle.seed(1)
    layer = paddle.nn.Linear(3, 3)
    sgd = paddle.optimizer.Momentum(0.1, parameters=layer.parameters())
    x = paddle.ones([2, 3])

    def step():
        layer(x).sum().backward()
        sgd.step()
        sgd.clear_grad()

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with paddle.lazy():
        for _ in range(3):
            step()
        held = jnp.asarray(layer.weight._array)
        before = np.array(held)
        with monkeypatch.context() as patched:
            patched.setattr(segments, "jit", interrupted)
            with pytest.raises(KeyboardInterrupt):
                step()
        layer.weight.numpy()
        np.testing.assert_array_equal(held, before)


# ---- errors


def failing_kernel(name):
    """Return a kernel that fails when it runs, not when it is traced."""

    def fail(x):
        raise RuntimeError("no such luck")

    def rule(x):
        return jax.pure_callback(fail, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    rule.__name__ = name
    return tracing.jit(rule)


@pytest.mark.parametrize("wait", [True, False])
def test_an_error_names_the_op_and_the_line_that_called_it(wait):
    bad, said = failing_kernel("unlucky"), r"unlucky \(of .*test_segments.py:\d+\).*luck"
    paddle.set_flags({"FLAGS_lazy_wait": wait})
    try:
        with paddle.lazy():
            y = paddle.to_tensor([1.0]) * 2.0
            z = paddle.Tensor.from_array(bad(y._array)) + 1.0
            for _ in range(2):
                with pytest.raises(ExternalError, match=said):
                    z.numpy()
            assert (y + 1.0).item() == 3.0
            del z
    finally:
        paddle.set_flags({"FLAGS_lazy_wait": False})


def test_an_error_of_a_signal_handler_is_the_programs(waiting, monkeypatch):
    """An executable failed with it, the warning said, and the kernels ran one by one."""
    x = paddle.to_tensor([1.0])

    def late(_):
        monkeypatch.undo()
        raise TimeoutError("too late")

    with paddle.lazy():
        assert (x * 2.0 + 1.0).item() == 3.0
        y = x * 2.0 + 1.0
        monkeypatch.setattr(segments.Segment, "setting", late)  # as a handler that runs there
        with pytest.raises(TimeoutError, match="too late"):
            y.numpy()
        assert y.item() == 3.0
    assert totals()[2] == 0


def test_jax_checks_numbers_kernel_by_kernel(waiting):
    x = paddle.to_tensor([0.0])
    with jax.debug_nans(True), paddle.lazy():
        y = paddle.log(x - 1.0)
        with pytest.raises(Exception, match="log"):
            y.numpy()
    assert totals()[3] == 0


def test_a_freed_kernel_is_loaded_again(waiting):
    x = paddle.to_tensor([1.0, 2.0])
    with paddle.lazy():
        for _ in range(3):
            assert (x * 2.0 + 1.0).tolist() == [3.0, 5.0]
            paddle.kernel_memory.free()


def test_many_segments_at_a_line_are_no_kernel_that_is_compiled_again_and_again(waiting):
    """Each has a separate name where compilations are counted and warned about."""
    before = paddle.get_flags("FLAGS_warn_compilations")
    paddle.set_flags({"FLAGS_warn_compilations": True})
    try:
        with paddle.lazy():
            for count in range(1, 24):
                y = paddle.to_tensor([1.0])
                for _ in range(count):
                    y = y * 2.0
                assert y.item() == 2.0**count
    finally:
        paddle.set_flags(before)


def test_a_parameter_that_is_held_for_one_step_is_given_away_in_the_next():
    with paddle.lazy():
        held = []
        trained(9, lambda layer, _: held.append(layer.weight._array if len(held) == 5 else None))
        (segment,) = [each for each in segments_of(mode.block_recorder()) if each.seen > 3]
    assert len(segment.donated) == 2 * 3 + 2
