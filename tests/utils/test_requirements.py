"""paddle.utils.run_check, require_version and paddle.version."""

import pytest

import jaxeager as paddle
from jaxeager.errors import PreconditionNotMetError
from jaxeager.utils import requirements


def test_run_check_says_where_it_works(capsys):
    paddle.utils.run_check()
    assert capsys.readouterr().out.startswith("jaxeager works well on ")


def test_run_check_finds_a_wrong_step(monkeypatch):
    monkeypatch.setattr(paddle.optimizer.SGD, "step", lambda self: None)
    with pytest.raises(PreconditionNotMetError, match="after a step with a gradient of 4"):
        requirements.run_check()


def test_the_version_that_is_required_is_paddles(monkeypatch):
    paddle.utils.require_version("3.3", "3.3.1")
    monkeypatch.setattr(paddle.version, "paddle_version", "2.6.0")
    with pytest.raises(PreconditionNotMetError, match=r"version 3\.3 or higher is required"):
        paddle.utils.require_version("3.3")


def test_versions_agree():
    version = paddle.version
    assert paddle.__version__ == version.full_version
    assert version.full_version == f"{version.major}.{version.minor}.{version.patch}"


def test_show_prints_each(capsys):
    paddle.version.show()
    lines = capsys.readouterr().out.splitlines()
    names = [line.partition(":")[0] for line in lines]
    assert names == ["full_version", "paddle_version", "jax", "cuda"]
