"""Where segments end by length and by memory: Note [Ends by length] of lazy/recorder.py."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.kernels.lazy import mode, recorder, report
from tests.support.lazy_programs import ends, segments_of


def test_a_long_program_ends_by_what_is_called():
    x = paddle.to_tensor([1.0])

    def chain(count):
        y = x
        for _ in range(count):
            y = paddle.tanh(y * 0.5) + 1.0
        return y.item()

    want = chain(200)
    with paddle.lazy():
        for _ in range(6):
            assert chain(200) == pytest.approx(want, rel=1e-5)
        found = dict.fromkeys([why for why, _, _ in ends()])
        assert list(found) == [report.LENGTH, report.VALUE]
        compiled = [each for each in segments_of(mode.block_recorder()) if each.kernel is not None]
    assert len(compiled) <= 3  # the first, those in the middle, the rest


class Deep(paddle.nn.Layer):
    """A stack of equal layers."""

    def __init__(self, count):
        super().__init__()
        layer = paddle.nn.TransformerEncoderLayer(8, 2, 16)
        self.inside = paddle.nn.TransformerEncoder(layer, count)

    def forward(self, x):
        return self.inside(x).mean()


def segments_of_a_step(count) -> int:
    """Return the number of different segments in the third training step of a deep model."""
    net = Deep(count)
    adam = paddle.optimizer.AdamW(1e-3, parameters=net.parameters())
    x = paddle.rand([2, 3, 8])

    def seen():
        return {each: each.seen for each in segments_of(mode.block_recorder())}

    with paddle.lazy():
        for _ in range(3):
            before = seen()
            net(x).backward()
            adam.step()
            adam.clear_grad()
        mode.run()
        return sum(before.get(each) != times for each, times in seen().items())


@pytest.mark.parametrize(
    "size", ["SMALL_BYTES", pytest.param("LARGE_BYTES", marks=pytest.mark.deep)]
)
def test_the_number_of_executables_does_not_grow_with_depth(monkeypatch, size):
    monkeypatch.setattr(recorder, "SMALL_BYTES", 0)  # as for layers of the usual size
    monkeypatch.setattr(recorder, size, 0)
    four = segments_of_a_step(4)
    mode._of_thread.recorder = recorder.Recorder()
    assert segments_of_a_step(8) <= 1.5 * four


def test_small_results_make_long_segments():
    """Results that cross an end take longer than the calls: Note [Ends by length]."""
    x = paddle.ones([4, 4])
    x.stop_gradient = False
    big = paddle.ones([256, 256])
    with paddle.lazy():
        for _ in range(2):
            y = x
            for _ in range(60):
                y = y * 0.99
            y.sum().backward()
        assert report.LENGTH not in dict.fromkeys([why for why, _, _ in ends()])
        for _ in range(200):
            big = big * 0.99
        assert report.LENGTH in dict.fromkeys([why for why, _, _ in ends()])


@pytest.mark.parametrize(("kibibytes", "calls"), [(256, 50), (512, 32), (1024, 16), (2048, 15)])
def test_large_results_make_short_segments(kibibytes, calls, monkeypatch):
    """A segment keeps its operands until it has run: Note [Ends by length]."""
    monkeypatch.setattr(recorder, "WINDOW", 1)
    x = paddle.ones([kibibytes * 256])
    with paddle.lazy():
        for _ in range(80):
            x = x * 0.99
        x.numpy()
        assert max(len(each.steps) for each in segments_of(mode.block_recorder())) == calls


def test_a_segment_ends_when_its_operands_take_much_memory(monkeypatch):
    monkeypatch.setattr(recorder, "MOST_BYTES", 4000)
    with paddle.lazy():
        total = paddle.to_tensor([0.0])
        for number in range(8):
            total = total + paddle.to_tensor(np.full(500, number, "float32")).sum()
        assert total.item() == 500 * 28
        assert report.BYTES in {why for why, _, _ in ends()}
