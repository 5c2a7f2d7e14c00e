"""Checksums that start, end or are interrupted in the middle of another operation."""

import pytest

import jaxeager as paddle
from jaxeager.debug.checksums import checksums
from jaxeager.debug.common import naming
from jaxeager.graph import events

PATH = "FLAGS_tensor_md5_checksum_output_path"


def test_a_file_that_begins_inside_a_pylayer(tmp_path):
    """The result of the PyLayer was created before counting started: it has its own name."""

    class Begins(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            made = x * 2
            paddle.set_flags({PATH: str(tmp_path / "md5")})
            return made

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = paddle.to_tensor([1.0], stop_gradient=False)
    looks_on = type("LooksOn", (events.Observer,), {"layer_began": lambda *what: None})
    try:
        with events.observing(looks_on()):  # else a PyLayer that has started notifies no observer
            y = Begins.apply(x)
        y.backward()
    finally:
        paddle.set_flags({PATH: ""})
    assert x.grad.tolist() == [2.0]
    assert (tmp_path / "md5").read_text().startswith("unnamed_")


def test_an_interrupted_flush_loses_nothing(tmp_path, monkeypatch):
    def interrupted(*rest):
        raise KeyboardInterrupt

    naming.reset()
    paddle.set_flags({PATH: str(tmp_path / "md5")})
    try:
        paddle.ones([2]).exp()
        with monkeypatch.context() as patch:
            patch.setattr(checksums._Checksums, "checksum", interrupted)
            with pytest.raises(KeyboardInterrupt):
                checksums.flush()
        paddle.ones([2]).tanh()
    finally:
        paddle.set_flags({PATH: ""})
    names = [line.partition("_")[0] for line in (tmp_path / "md5").read_text().splitlines()]
    assert names == ["full1", "exp1", "full2", "tanh1"]


def test_switched_off_in_the_middle_of_a_backward_it_keeps_no_graph(tmp_path):
    paddle.set_flags({PATH: str(tmp_path / "md5")})
    x = paddle.to_tensor([1.0], stop_gradient=False)
    y = x * 2
    y.register_hook(lambda grad: paddle.set_flags({PATH: ""}))
    (y * 3).backward()
    assert not checksums._checksums._open_runs()
    assert not checksums._checksums.queue
    assert x.grad.tolist() == [6.0]
