"""Checkpoints of tensors spread over several devices, with Orbax if it is installed."""

import sys

import pytest

import jaxeager as paddle
from tests.support.on_devices import names_of, outcome

MODULE = "tests.distributed.checks_of_checkpoints"


@pytest.mark.parametrize("name", names_of(MODULE))
def test_checkpoints(name):
    pytest.importorskip("orbax.checkpoint")
    error = outcome(MODULE, name)
    assert not error, error


def test_without_orbax(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "orbax.checkpoint", None)
    for call in (paddle.distributed.save_state_dict, paddle.distributed.load_state_dict):
        with pytest.raises(RuntimeError, match=r'pip install "jaxeager\[checkpoint\]"'):
            call({"x": paddle.ones([1])}, tmp_path)
