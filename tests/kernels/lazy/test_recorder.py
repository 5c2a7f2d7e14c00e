"""Recording: which calls are recorded, when they run, and their results (lazy/recorder.py)."""

import gc
import threading
import weakref

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError
from jaxeager.kernels.lazy import mode, recorder, report, segments
from jaxeager.kernels.lazy.pending import Pending
from jaxeager.kernels.lazy.segments import ABSENT
from tests.support.interrupts import interrupted_at
from tests.support.lazy_programs import ends, segments_of


def test_ops_run_when_a_value_is_requested():
    x = paddle.to_tensor([1.0, 2.0])
    with paddle.lazy():
        y = (x + 1.0) * 2.0
        assert paddle.lazy_report().segments == 0
        assert (y.shape, y.dtype) == ([2], paddle.float32)
        assert y.tolist() == [4.0, 6.0]
        assert ends() == [(report.VALUE, 1, 2)]


@pytest.mark.parametrize("times", [1, 2, 3, 6])
def test_the_end_of_the_block_runs_what_is_left(times):
    x = paddle.to_tensor([1.0])
    for _ in range(times):
        with paddle.lazy():
            y = x + 1.0
        assert y._array.value is not None
    assert ends() == [(report.LEFT, times, times)]


def test_a_result_that_nothing_refers_to_is_not_made():
    """The segment that ran has one result, though three ops were called."""
    x = paddle.to_tensor([1.0, 2.0])
    with paddle.lazy():
        y = ((x + 1.0) * 2.0) - 1.0
        y.numpy()
        (segment,) = segments_of(mode.block_recorder())
    assert segment.live == (2,)


def test_saved_tensors_that_backward_released_are_not_made():
    x = paddle.to_tensor([0.5, 2.0], stop_gradient=False)
    with paddle.lazy():
        y = paddle.tanh(paddle.sin(paddle.exp(x))).sum()
        y.backward()
        x.grad.numpy()
        (segment,) = segments_of(mode.block_recorder())
    assert len(segment.live) == 2  # y and the gradient


def test_a_path_that_is_known_traces_nothing(monkeypatch):
    x = paddle.to_tensor([1.0, 2.0])

    def step():
        return paddle.tanh(x * 2.0).sum().item()

    with paddle.lazy():
        step()
        monkeypatch.setattr(jax, "eval_shape", None)
        step()


def test_equal_numbers_from_elsewhere_share_a_path():
    """Operands are numbered in the order of use, so other tensors of the kind match as well."""
    with paddle.lazy():
        for number in range(5):
            x = paddle.to_tensor([float(number)])
            assert (x * x + x).tolist() == [number * number + number]
        assert len(segments_of(mode.block_recorder())) == 1


def test_which_operand_is_which_is_part_of_the_path():
    x, y = paddle.to_tensor([3.0]), paddle.to_tensor([4.0])
    with paddle.lazy():
        for _ in range(5):
            assert (x - y).item() == -1.0
            assert (x - x).item() == 0.0
            assert (y - x).item() == 1.0


@pytest.mark.parametrize("other", [[1.0, 2.0], [[1.0]], 1], ids=["size", "rank", "dtype"])
def test_another_kind_of_operand_is_another_path(other):
    with paddle.lazy():
        for _ in range(5):
            for value in ([5.0], other):
                found = paddle.to_tensor(value) * 2
                np.testing.assert_array_equal(found.numpy(), np.array(value) * 2)


def test_an_operand_that_is_written_in_place_keeps_the_value_it_had():
    x = paddle.to_tensor([1.0, 2.0])
    with paddle.lazy():
        for _ in range(5):
            x.set_value(np.array([1.0, 2.0], "float32"))
            before = x * 1.0
            x.add_(paddle.ones([2]))
            after = x * 1.0
            x[0] = 7.0
            assert (before.tolist(), after.tolist(), x.tolist()) == ([1, 2], [2, 3], [7, 3])


# ---- steps


@pytest.mark.parametrize("draws", [1, 3, 16])
def test_steps_that_draw_are_one_segment(draws):
    """Keys are made sixteen at a time, which no step may notice: arrays/random.py."""
    x = paddle.ones([4, 4])
    with paddle.lazy():
        made = mode.block_recorder()
        before = len(segments_of(made))
        for _ in range(20):
            y = x
            for _ in range(draws):
                y = paddle.nn.functional.dropout(y, 0.5)
            y.numpy()
        assert len(segments_of(made)) == before + 1


def test_draws_are_those_of_the_mode_off():
    def drawn():
        paddle.seed(5)
        values = [paddle.nn.functional.dropout(paddle.ones([8]), 0.5) for _ in range(20)]
        return [each.tolist() for each in values], paddle.get_rng_state()[0]

    values, state = drawn()
    with paddle.lazy():
        values_lazy, state_lazy = drawn()
    assert values_lazy == values
    assert (jax.random.key_data(state_lazy) == jax.random.key_data(state)).all()


def test_a_missing_operand_needs_no_nesting():
    """``scale`` takes a factor and a bias: ``x * 2.0`` has one, ``x + 2.0`` the other."""
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    with paddle.lazy():
        y = (x * 3.0 + 4.0) * x
        calls = [place.call for place in mode.block_recorder().recording.place.path()]
        assert [nesting for _, _, nesting in calls] == [None, None, None]
        (_, product, _), (_, total, _), _ = calls
        assert (product[2], total[1]) == (ABSENT, ABSENT)
        y.sum().backward()
        assert y.tolist() == [7.0, 20.0]
        assert x.grad.tolist() == [10.0, 16.0]


def test_clear_grad_runs_the_step_and_frees_what_was_before():
    net = paddle.nn.Linear(8, 8)
    adam = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
    with paddle.lazy():
        for _ in range(6):
            net(paddle.ones([2, 8])).sum().backward()
            adam.step()
            assert net.weight._array.value is None  # gradients may be cleared before it runs
            adam.clear_grad()
            assert mode.block_recorder().recording.place.depth == 0
            assert net.weight._array.value is not None


# ---- calls that cannot be recorded


def test_a_wrong_call_raises_at_its_line_and_leaves_the_others():
    x = paddle.to_tensor([1.0, 2.0])
    with paddle.lazy():
        for _ in range(5):
            y = x * 2.0
            with pytest.raises(InvalidArgumentError, match="matmul"):
                paddle.matmul(x, paddle.ones([3, 3]))
            assert (y + 1.0).tolist() == [3.0, 5.0]


def test_traced_operands_are_not_recorded():
    with paddle.lazy():
        function = paddle.autograd.to_jax(lambda x: paddle.tanh(x) * 2.0)
        found = jax.grad(lambda x: function(x).sum())(np.array([0.5], "float32"))
        np.testing.assert_allclose(found, 2 / np.cosh(0.5) ** 2, 1e-6)


def test_products_have_the_precision_of_the_line_that_calls_them():
    """The block in which JAX's setting holds ends before the kernel runs."""
    x = paddle.to_tensor(np.eye(2, dtype="float32"))
    with paddle.lazy():
        with jax.default_matmul_precision("highest"):
            y = x @ x
        z = x @ x
        owner = mode.block_recorder()
        assert owner.recording.place.depth == 1  # the end of the block ended a segment
        z.numpy()
        y.numpy()
        seen = {setting: segments_of_root(root) for setting, root in owner.roots.items()}
    assert {setting: len(found) for setting, found in seen.items()} == {None: 1, "highest": 1}
    assert seen["highest"][0].precision == "highest"


def segments_of_root(root) -> list:
    return [each for place in root.after.values() for each in place.segments.values()]


# ---- threads, interrupts, memory


def test_another_thread_reads_what_is_pending_here():
    x = paddle.to_tensor([1.0])
    found = []
    with paddle.lazy():
        for _ in range(5):
            y = x * 3.0
            thread = threading.Thread(target=lambda y=y: found.append(y.item()))
            thread.start()
            thread.join()
            z = y + 1.0
            assert z.item() == 4.0
    assert found == [3.0] * 5


def test_two_threads_that_use_what_is_pending_in_the_other_do_not_block():
    paddle.set_flags({"FLAGS_lazy": True})
    try:
        tensors = {name: paddle.to_tensor([1.0]) for name in "ab"}
        ended = []

        def work(own, other):
            for _ in range(200):
                tensors[own] = (tensors[own] + tensors[other].detach()) * 0.5
            ended.append(tensors[own].item())

        threads = [threading.Thread(target=work, args=pair, daemon=True) for pair in ("ab", "ba")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert ended == [1.0, 1.0]
    finally:
        paddle.set_flags({"FLAGS_lazy": False})


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # CPython drops it
def test_an_interrupt_at_any_line_leaves_no_half_call():
    """Wherever it falls, the calls recorded before it are right, and so are later ones."""
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)

    def calls():
        y = paddle.tanh(x * 2.0) + x
        z = paddle.concat([y, y * 3.0])
        return y, z

    want = [each.numpy() for each in calls()]
    kept: list = []

    def interrupted():
        kept.append(x * 5.0)
        kept.extend(calls())
        kept[-1].numpy()

    with paddle.lazy():
        interrupted()
        place = 0
        while interrupted_at(place, interrupted) is None:
            place += 7
            for found, right in zip(calls(), want, strict=True):
                np.testing.assert_allclose(found.numpy(), right, 1e-6)
            for found, right in zip(kept[1:], want, strict=False):
                np.testing.assert_allclose(found.numpy(), right, 1e-6)
            if kept:
                assert kept[0].tolist() == [5.0, 10.0]
            kept.clear()
        assert place > 100


def test_a_dropped_result_is_freed():
    x = paddle.to_tensor([1.0])
    with paddle.lazy():
        y = x * 2.0
        reference = weakref.ref(y._array)
        z = y + 1.0
        z.numpy()
        del y
        gc.collect()
        assert reference() is None


def test_a_tree_that_grows_begins_again(monkeypatch):
    monkeypatch.setattr(recorder, "MOST_PLACES", 15)
    with paddle.lazy():
        for size in range(1, 20):
            assert (paddle.ones([size]) * 2.0 + 1.0).sum().item() == 3 * size
        assert mode.block_recorder().places <= 25


def places_in_memory():
    gc.collect()
    return sum(type(each) is recorder.CallNode for each in gc.get_objects())


def test_results_that_are_kept_do_not_keep_the_tree_that_made_them(monkeypatch):
    monkeypatch.setattr(recorder, "MOST_PLACES", 4)
    before = places_in_memory()
    with paddle.lazy():
        kept = []
        for size in range(1, 13):
            kept.append(paddle.ones([size]).sum() * 2.0)
            kept[-1].numpy()
    assert type(kept[0]._array) is Pending
    assert places_in_memory() < before + 12


def test_results_that_are_kept_do_not_keep_the_recorder_of_a_thread_that_ended():
    kept = []

    def work():
        with paddle.lazy():
            kept.append(paddle.ones([3]) * 2.0)
            kept[-1].numpy()

    before = places_in_memory()
    for _ in range(10):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert type(kept[0]._array) is Pending
    assert places_in_memory() < before + 10
    assert [each.numpy().tolist() for each in kept] == [[2.0] * 3] * 10


def test_pending_arrays_stand_in_tensors():
    with paddle.lazy():
        y = paddle.to_tensor([1.0]) * 2.0
        assert type(y._array) is Pending


# ---- faults found by an attack


def test_a_handler_that_asks_in_the_middle_of_a_record_is_refused(monkeypatch):
    """A signal's handler and a finalizer run between any two steps of Python, including JAX's."""
    with paddle.lazy():
        a = paddle.to_tensor([1.0, 2.0]) * 2.0
        known = paddle.to_tensor([7.0])
        original, seen = recorder.Recorder._record, []

        def record(self, kernel, operands):
            monkeypatch.setattr(recorder.Recorder, "_record", original)
            with pytest.raises(PreconditionNotMetError, match="handler or a finalizer"):
                a.numpy()
            with pytest.raises(PreconditionNotMetError, match="handler or a finalizer"):
                (a + 1.0).numpy()
            seen.append((known + 1.0).tolist())  # its operands have values: it runs directly
            return original(self, kernel, operands)

        monkeypatch.setattr(recorder.Recorder, "_record", record)
        b = a * 5.0
        assert seen == [[8.0]]
        assert (b + 1.0).tolist() == [11.0, 21.0]
        assert a.tolist() == [2.0, 4.0]


def test_a_handler_that_asks_in_the_middle_of_a_run_is_refused(monkeypatch):
    with paddle.lazy():
        for _ in range(6):
            a = paddle.to_tensor([1.0, 2.0]) * 2.0
            b = a + 1.0
            original = segments.Segment.call

            def call(self, recording, original=original, a=a):
                monkeypatch.setattr(segments.Segment, "call", original)
                with pytest.raises(PreconditionNotMetError, match="handler or a finalizer"):
                    a.numpy()
                return original(self, recording)

            monkeypatch.setattr(segments.Segment, "call", call)
            assert b.tolist() == [3.0, 5.0]
            assert a.tolist() == [2.0, 4.0]


def test_lists_of_operands_that_another_thread_has_pending():
    paddle.set_flags({"FLAGS_lazy": True})
    try:
        made = []
        thread = threading.Thread(target=lambda: made.append(paddle.to_tensor([1.0]) * 2.0))
        thread.start()
        thread.join()
        a = paddle.to_tensor([5.0])
        assert paddle.concat([a * 3.0, made[0]]).tolist() == [15.0, 2.0]
    finally:
        paddle.set_flags({"FLAGS_lazy": False})


def test_an_interrupt_behind_the_executable_loses_nothing(monkeypatch):
    """Its results are those that were referred to at that time."""
    a = paddle.to_tensor([1.0])
    with paddle.lazy():
        for _ in range(4):
            b = a * 2.0
            c = b + 1.0
            (c * 3.0).numpy()
        mode._of_thread.recorder.roots.clear()
        mode._of_thread.recorder.recording = recorder.Recording(mode._of_thread.recorder)
        paddle.set_flags({"FLAGS_lazy_wait": True})
        try:
            b = a * 2.0
            c = b + 1.0
            d = c * 3.0

            def interrupted(_):
                raise KeyboardInterrupt

            with monkeypatch.context() as patch:
                patch.setattr(segments, "kind_of", interrupted)
                with pytest.raises(KeyboardInterrupt):
                    d.numpy()
            del c
            assert (d.item(), b.item()) == (9.0, 2.0)
        finally:
            paddle.set_flags({"FLAGS_lazy_wait": False})


def test_segments_of_a_place_are_bounded(monkeypatch):
    """The calls are the same, and each time another part of the results is held."""
    monkeypatch.setattr(recorder, "_MOST_SEGMENTS", 3)
    x = paddle.to_tensor([1.0])
    with paddle.lazy():
        for kept in range(1, 16):
            made = [x * 2.0, x + 1.0, x - 1.0, x / 2.0]
            held = [each for number, each in enumerate(made) if kept >> number & 1]
            made = None
            assert held[0].numpy() is not None
        assert len(segments_of(mode.block_recorder())) <= 6
