"""Helpers that tests of FLAGS_check_nan_inf share."""

import jax

import jaxeager as paddle
from jaxeager.debug.numbers import statistics as tensor_statistics
from jaxeager.debug.numbers.precision_text import parse_line

NAN, INF = float("nan"), float("inf")
FLOATS = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def repeat(function, times):
    """Call a function several times."""
    for _ in range(times):
        function()


def put_elsewhere(monkeypatch):
    """Make checks of numbers treat all arrays as if they were on an accelerator."""
    probe_for = tensor_statistics._probe_for

    def unreadable(dtype, shape):
        def look(array):
            raise BufferError

        found = probe_for(dtype, shape)
        return found if found is tensor_statistics.nothing else look

    monkeypatch.setattr(tensor_statistics, "probes", {})
    monkeypatch.setattr(tensor_statistics, "_probe_for", unreadable)
    monkeypatch.setattr(tensor_statistics, "can_be_read", lambda a: not isinstance(a, jax.Array))


def records(capsys):
    """Return the printed lines."""
    paddle.device.synchronize()  # so that findings on a device are reported
    return [parse_line(line) for line in capsys.readouterr().out.splitlines()]
