"""The paths of files in tables and messages."""

import pytest

from jaxeager.debug.common.paths import shorter_path


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("{folder}/a/net.py", "net.py"),
        ("{folder}/train.py", "../train.py"),
        ("/net.py", "/net.py"),
        ("./net.py", "net.py"),
        ("<stdin>", "<stdin>"),
        ("", ""),
    ],
)
def test_the_shorter_of_two(tmp_path, monkeypatch, file, shown):
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    assert shorter_path(file.format(folder=tmp_path)) == shown
