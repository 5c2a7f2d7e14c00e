"""bisect between two devices: which calls are moved, and the call that is wrong on the other."""

import pytest

from jaxeager.__main__ import main
from jaxeager.debug.bisect.moved import run_moved
from jaxeager.debug.bisect.search import UnusableError
from jaxeager.graph import events
from jaxeager.kernels.lazy import mode
from tests.debug.bisect import moved_checks
from tests.debug.bisect.stubs import assert_page_is_true
from tests.support.on_devices import names_of, outcome

CHECKS = moved_checks.__name__
PLANT = """
import jax
from jaxeager.kernels.lazy import mode

real = mode.Kernel.__init__


def planted(self, kernel, rule):
    real(self, kernel, rule)
    if self.name == "tanh":
        self.kernel = lambda x: kernel(x) * (1.5 if x.device.id == 1 else 1.0)


mode.Kernel.__init__ = planted
"""


@pytest.mark.parametrize("name", names_of(CHECKS))
def test_on_devices(name):
    assert outcome(CHECKS, name) == ""


def test_everything_is_as_before_afterwards():
    before = events.in_force()
    with pytest.raises(ZeroDivisionError):
        run_moved("cpu", 5, "", [], lambda _: 1 // 0)
    assert mode.called is None
    assert events.in_force() == before


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(UnusableError, match="There is no device 'tpu:7' here; JAX sees "):
        run_moved("tpu:7", 5, "", [], lambda _: 0)
    assert main(["bisect", "--ops", "tpu:7", "--calls", "1", "train.py"]) == 2


def test_a_text_that_is_no_device_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["bisect", "--ops", "float8", "train.py"])
    assert "--ops is one of bfloat16, float16, lazy, static, or a device" in capsys.readouterr().err


@pytest.mark.deep
def test_the_page_prints_what_the_command_does(tmp_path, capfd, monkeypatch):
    """The program of the page is right; a module that Python imports at its start is wrong."""
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / "sitecustomize.py").write_text(PLANT)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "planted"))
    flags = "--xla_force_host_platform_device_count=2"
    head = "Which op is wrong on a device?"
    assert_page_is_true(head, "cpu:1", tmp_path, capfd, monkeypatch, flags)
