"""The initial state of the tests of lazy mode: an empty tree, and an empty report."""

import pytest

import jaxeager as paddle
from jaxeager.kernels.lazy import mode
from jaxeager.kernels.lazy.recorder import Recorder


@pytest.fixture(autouse=True)
def fresh_recorder(monkeypatch):
    """Start every test with segments that were never seen."""
    mode.install()
    monkeypatch.setattr(mode._of_thread, "recorder", Recorder(), raising=False)
    paddle.lazy_report(clear=True)
