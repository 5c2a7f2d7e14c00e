"""bisect over the versions of a package: small wheels that the test makes, and no network."""

import hashlib
import zipfile
from base64 import urlsafe_b64encode

import pytest

from jaxeager.__main__ import main
from jaxeager.debug.bisect.judge import Trials
from jaxeager.debug.bisect.search import UnusableError
from jaxeager.debug.bisect.versions import bisect_versions, versions_between
from tests.debug.bisect.stubs import FileJudge


def wheel(folder, name, version, text, requires=""):
    """Write a wheel of one module."""
    info = f"{name}-{version}.dist-info"
    needs = f"Requires-Dist: {requires}\n" if requires else ""
    files = {
        f"{name}.py": text,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for path, content in files.items():
        digest = urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).decode().rstrip("=")
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        for path, content in files.items():
            file.writestr(path, content)


@pytest.fixture(autouse=True)
def wheels(tmp_path, monkeypatch):
    """Return a folder of four versions, of which the third breaks; pip looks only there."""
    made = tmp_path / "wheels"
    made.mkdir()
    wheel(made, "scales", "1.0", "FACTOR = 2  # ok\n", "helper==5")
    wheel(made, "scales", "1.2", "FACTOR = 2  # ok\n", "helper==5")
    wheel(made, "scales", "1.10", "FACTOR = 3\n", "helper==6")
    wheel(made, "scales", "2.0", "FACTOR = 3\n", "helper==6")
    wheel(made, "helper", "5", "")
    wheel(made, "helper", "6", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(made))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("import scales\nassert scales.FACTOR == 2\n")
    return made


def test_the_first_bad_version_is_named(tmp_path, capsys):
    judge = FileJudge("scales.py")
    ends = "1.0", "2.0"
    assert bisect_versions(Trials(judge), "scales", ends, ["train.py"], tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 versions of scales between 1.0 and 2.0"
    assert lines[1].startswith("scales 1.0 ... good, ")
    assert lines[-2:] == [
        "1.10 is the first bad version of scales",
        "pip installed other versions with it: helper 5 -> 6",
    ]
    start = judge.starts[-1]
    assert start.command[1:] == ["-m", "jaxeager", "train.py"]
    assert start.environment["PYTHONPATH"].startswith(str(tmp_path / "version-"))


@pytest.fixture
def known(monkeypatch):
    """Know the versions without a run of pip."""
    listed = ["1.0", "1.2", "1.10", "2.0"]
    monkeypatch.setattr("jaxeager.debug.bisect.versions._offered", lambda *_: listed)


def test_a_version_that_cannot_be_installed_is_skipped(tmp_path, wheels, capsys, known):
    wheel(wheels, "scales", "1.10", "FACTOR = 3\n", "missing==1")
    ends = "1.2", "2.0"
    judge = FileJudge("scales.py")
    assert bisect_versions(Trials(judge), "scales", ends, ["train.py"], tmp_path) == 1
    out = capsys.readouterr().out
    assert "scales 1.10 ... skip, " in out
    assert "(pip cannot install it: ERROR: No matching distribution found for missing==1)" in out
    assert out.endswith("so the first bad one of scales is one of: 1.10, 2.0\n")


def test_an_unknown_package_is_refused(capsys):
    assert main(["bisect", "--package", "no", "--good", "1", "--bad", "2", "train.py"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("bisect: pip finds no package 'no'. Check the name")
    assert err.count("\n") == 1


def test_unknown_versions_and_other_texts_are_refused(known):
    with pytest.raises(UnusableError, match=r"no version 1\.1 of scales .* 1\.2, 1\.10, 2\.0$"):
        versions_between("scales", "1.1", "2.0")
    with pytest.raises(UnusableError, match="must be an older version"):
        versions_between("scales", "2.0", "1.0")
    for package in ("-r", "scales @ file:///x", "a b"):
        with pytest.raises(UnusableError, match="takes the name of a package"):
            versions_between(package, "1.0", "2.0")
    with pytest.raises(UnusableError, match="a version is a text such as"):
        versions_between("scales", "--pre", "2.0")


@pytest.mark.deep
def test_a_real_program(capfd):
    run = ["bisect", "--package", "scales", "--good", "1.0", "--bad", "2.0"]
    assert main([*run, "train.py"]) == 0
    assert "1.10 is the first bad version of scales" in capfd.readouterr().out
    assert main([*run, "-c", "import scales"]) == 2
    assert "the bad end is good" in capfd.readouterr().err
