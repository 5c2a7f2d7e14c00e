"""Archives of compiled kernels: whole, of this build, and this user's; or refused unread."""

import json
import os
import subprocess
import sys
import zipfile

import jax
import pytest

from jaxeager.__main__ import main
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError
from jaxeager.kernels import cache_archive, kernel_files, kernel_identity

PROGRAM = """
import json
import jaxeager as paddle
from jaxeager.kernels import executables

x = paddle.to_tensor([[0.5, 2.0, 1.0]], stop_gradient=False)
paddle.tanh(x @ x.T).sum().backward()
print(json.dumps([executables.counts()._asdict(), x.grad.tolist()]))
"""


@pytest.fixture
def place(folder):
    """Yield a folder of compiled programs with two kernels and a program of JAX."""
    place, before = folder.parent, jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", str(place))
    kernel_files.write("a" * 64, {"outputs": []}, b"code" * 100)
    kernel_files.write("b" * 64, {"outputs": []}, b"more" * 200)
    (place / "jit_tanh-0123-cache").write_bytes(b"program" * 50)
    (place / "jit_tanh-0123-atime").write_bytes(b"12345678")
    yield place
    jax.config.update("jax_compilation_cache_dir", before)


def names_in(archive):
    with zipfile.ZipFile(archive) as given:
        return sorted(given.namelist())


def rewritten(archive, name, content):
    """Replace a member of an archive, or add it."""
    with zipfile.ZipFile(archive) as given:
        members = {each: given.read(each) for each in given.namelist()}
    with zipfile.ZipFile(archive, "w") as out:
        for each, value in (members | {name: content}).items():
            out.writestr(each, value)


def test_an_archive_has_kernels_and_programs_and_nothing_else(place, tmp_path):
    found = cache_archive.export_to(tmp_path / "a.zip")
    assert (found.kernels, found.programs, found.program_bytes) == (2, 1, 350)
    assert names_in(tmp_path / "a.zip") == [
        "jaxeager-cache.json",
        f"kernels/{'a' * 64}",
        f"kernels/{'b' * 64}",
        "programs/jit_tanh-0123-cache",
    ]
    assert found == cache_archive.contents()
    assert list(tmp_path.glob(".a.zip-*")) == []


def test_what_was_cleared_is_imported_again(place, tmp_path):
    exported = cache_archive.export_to(tmp_path / "a.zip")
    assert cache_archive.clear() == exported
    assert cache_archive.contents() == (0, 0, 0, 0)
    assert (place / "jit_tanh-0123-atime").exists()
    assert cache_archive.import_from(tmp_path / "a.zip") == (exported, 0)
    assert kernel_files.read("a" * 64) == ({"outputs": []}, b"code" * 100)
    assert (place / "jit_tanh-0123-cache").read_bytes() == b"program" * 50
    assert (place / "jit_tanh-0123-cache").stat().st_mode & 0o077 == 0
    assert cache_archive.import_from(tmp_path / "a.zip") == ((0, 0, 0, 0), 3)


def test_a_file_that_exists_is_not_replaced(place, tmp_path):
    cache_archive.export_to(tmp_path / "a.zip")
    (place / "jit_tanh-0123-cache").write_bytes(b"newer")
    cache_archive.import_from(tmp_path / "a.zip")
    assert (place / "jit_tanh-0123-cache").read_bytes() == b"newer"


@pytest.mark.parametrize(
    "name",
    [
        "../outside", "kernels/../../outside", "/etc/outside", "kernels/short", "programs/.hidden",
        "programs/a/b-cache", "other/" + "a" * 64, "kernels/" + "A" * 64, "programs/x-atime",
    ],
)  # fmt: skip
def test_a_member_of_another_kind_refuses_the_whole_archive(place, tmp_path, name):
    cache_archive.export_to(tmp_path / "a.zip")
    cache_archive.clear()
    rewritten(tmp_path / "a.zip", name, b"x")
    with pytest.raises(InvalidArgumentError, match="a member of another kind"):
        cache_archive.import_from(tmp_path / "a.zip")
    assert cache_archive.contents() == (0, 0, 0, 0)


def test_a_kernel_under_another_name_is_refused(place, tmp_path):
    cache_archive.export_to(tmp_path / "a.zip")
    content = (place / "kernels" / ("a" * 64)).read_bytes()
    rewritten(tmp_path / "a.zip", "kernels/" + "c" * 64, content)
    with pytest.raises(InvalidArgumentError, match=f"kernel {'c' * 64} of .* is damaged"):
        cache_archive.import_from(tmp_path / "a.zip")
    assert not (place / "kernels" / ("c" * 64)).exists()


def test_another_build_is_named(place, tmp_path, monkeypatch):
    cache_archive.export_to(tmp_path / "a.zip")
    here = kernel_identity.build_parts()
    monkeypatch.setattr(kernel_identity, "build_parts", lambda: here | {"jaxlib": "99.0"})
    with pytest.raises(InvalidArgumentError, match=r"another jaxlib \('[\d.]+', here '99\.0'\)"):
        cache_archive.import_from(tmp_path / "a.zip")


@pytest.mark.parametrize(
    "header",
    [b"", b"[]", b"{}", b'{"format": 1}', b'{"format": 1, "build": 3}', b"[" * 100_000],
    ids=["empty", "list", "no format", "no build", "number", "nested"],
)
def test_a_header_that_is_none_is_refused(place, tmp_path, header):
    cache_archive.export_to(tmp_path / "a.zip")
    rewritten(tmp_path / "a.zip", "jaxeager-cache.json", header)
    with pytest.raises(InvalidArgumentError, match="is no archive of kernels"):
        cache_archive.import_from(tmp_path / "a.zip")


def test_a_later_format_is_refused(place, tmp_path):
    cache_archive.export_to(tmp_path / "a.zip")
    header = {"format": 2, "build": {}}
    rewritten(tmp_path / "a.zip", "jaxeager-cache.json", json.dumps(header))
    with pytest.raises(InvalidArgumentError, match="a format that this version does not know"):
        cache_archive.import_from(tmp_path / "a.zip")


def test_damaged_archives_are_refused(place, tmp_path):
    archive = tmp_path / "a.zip"
    cache_archive.export_to(archive)
    whole = archive.read_bytes()
    middle = len(whole) // 2
    within = [whole[:at] + b"\0" * 8 + whole[at + 8 :] for at in range(100, middle, 97)]
    for damaged in (b"", b"text", whole[:middle], *within):
        cache_archive.clear()
        archive.write_bytes(damaged)
        with pytest.raises(InvalidArgumentError, match=r"is no archive of kernels|is damaged"):
            cache_archive.import_from(archive)
        assert cache_archive.contents() == (0, 0, 0, 0)


def test_an_archive_that_others_can_write_is_refused(place, tmp_path):
    cache_archive.export_to(tmp_path / "a.zip")
    (tmp_path / "a.zip").chmod(0o666)
    with pytest.raises(InvalidArgumentError, match="other users can write there"):
        cache_archive.import_from(tmp_path / "a.zip")


def test_a_fifo_is_not_waited_for(place, tmp_path):
    os.mkfifo(tmp_path / "a.zip", 0o600)
    with pytest.raises(InvalidArgumentError, match="is not a plain file"):
        cache_archive.import_from(tmp_path / "a.zip")


def test_an_empty_folder_and_none_have_nothing_to_export(folder, tmp_path):
    with pytest.raises(PreconditionNotMetError, match="has no kernels"):
        cache_archive.export_to(tmp_path / "a.zip")
    kernel_files.set_folder(None)
    with pytest.raises(PreconditionNotMetError, match="No folder keeps compiled kernels"):
        cache_archive.export_to(tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


@pytest.mark.deep
def test_the_command_takes_kernels_to_another_folder(tmp_path):
    def run(folder, *arguments):
        given = os.environ | {"JAXEAGER_COMPILATION_CACHE": str(folder)}
        command = [sys.executable, *arguments]
        return subprocess.run(command, env=given, capture_output=True, text=True)

    one, other, archive = tmp_path / "one", tmp_path / "other", str(tmp_path / "a.zip")
    counts, grad = json.loads(run(one, "-c", PROGRAM).stdout)
    assert counts["quick"] + counts["full"] > 0
    exported = run(one, "-m", "jaxeager", "cache", "export", archive)
    assert exported.stdout.startswith(f"{archive}: "), exported.stderr
    imported = run(other, "-m", "jaxeager", "cache", "import", archive)
    assert "0 were there before" in imported.stdout, imported.stderr
    counts, same = json.loads(run(other, "-c", PROGRAM).stdout)
    assert (counts["quick"], counts["full"], same) == (0, 0, grad)


def test_the_command_shows_and_clears_the_folder(place, capsys):
    assert main(["cache"]) == 0
    assert main(["cache", "clear"]) == 0
    assert main(["cache"]) == 0
    shown, cleared, left = capsys.readouterr().out.splitlines()
    assert shown.startswith(f"{place}: 2 kernels")
    assert cleared.removeprefix(f"{place}: removed ") == shown.removeprefix(f"{place}: ")
    assert left == f"{place}: 0 kernels (0.0 MB) and 0 programs of JAX (0.0 MB)"


def test_the_command_says_why_an_archive_cannot_be_used(place, tmp_path, capsys):
    assert main(["cache", "import", str(tmp_path / "no.zip")]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("cache: [Errno 2] No such file or directory")
