"""Files of compiled kernels: complete or absent, private to this user, within a bound."""

import os
import warnings

import pytest

from jaxeager.core import flags
from jaxeager.kernels import kernel_files


def test_a_written_kernel_is_read_back(folder):
    kernel_files.write("a" * 64, {"outputs": [[2, 3]]}, b"code")
    assert kernel_files.read("a" * 64) == ({"outputs": [[2, 3]]}, b"code")
    assert kernel_files.read("b" * 64) is None
    assert [each.name for each in folder.iterdir()] == ["a" * 64]


def test_a_file_that_is_not_whole_is_thrown_away(folder):
    for damage in (
        lambda content: content[:-1],
        lambda content: b"",
        lambda content: content[:30],
        lambda content: content[:40] + bytes([content[40] ^ 1]) + content[41:],
        lambda content: content + b"more",
        lambda content: b"other" + content[5:],
    ):
        kernel_files.write("a" * 64, {"outputs": []}, b"code" * 10)
        path = folder / ("a" * 64)
        path.write_bytes(damage(path.read_bytes()))
        assert kernel_files.read("a" * 64) is None
        assert not path.exists()


def test_the_file_of_another_kernel_is_not_taken(folder):
    kernel_files.write("a" * 64, {}, b"code")
    os.rename(folder / ("a" * 64), folder / ("b" * 64))
    assert kernel_files.read("b" * 64) is None
    assert not (folder / ("b" * 64)).exists()


def test_the_folder_is_made_for_this_user_alone(folder):
    kernel_files.write("a" * 64, {}, b"code")
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / ("a" * 64)).stat().st_mode & 0o077 == 0


def test_a_folder_that_others_can_write_is_not_used(folder):
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="other users can write there"):
        kernel_files.write("a" * 64, {}, b"code")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # reported once
        assert kernel_files.read("a" * 64) is None
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path, folder):
    (tmp_path / "file").write_text("")
    kernel_files.set_folder(tmp_path / "file" / "kernels")
    kernel_files.write("a" * 64, {}, b"code")
    assert kernel_files.read("a" * 64) is None


def test_the_flag_turns_it_off(folder, monkeypatch):
    kernel_files.write("a" * 64, {}, b"code")
    monkeypatch.setitem(flags._values, "FLAGS_kernel_files", False)
    assert kernel_files.read("a" * 64) is None
    kernel_files.write("b" * 64, {}, b"code")
    assert [each.name for each in folder.iterdir()] == ["a" * 64]


def test_files_not_read_for_longest_go_first(folder):
    before = flags.flag("FLAGS_kernel_files_mb")
    for position, name in enumerate("abcd"):
        kernel_files.write(name * 64, {}, bytes(300 << 10))
        os.utime(folder / (name * 64), (position, position))
    assert kernel_files.read("a" * 64) is not None  # which is then the most recently read one
    try:
        flags.set_flags({"FLAGS_kernel_files_mb": 1})
        kernel_files.keep_within()
        left = sorted(each.name[0] for each in folder.iterdir())
        assert left == ["a", "c", "d"] or left == ["a", "d"]
        assert sum(each.stat().st_size for each in folder.iterdir()) <= 1 << 20
        flags.set_flags({"FLAGS_kernel_files_mb": 0})
        kernel_files.write("e" * 64, {}, bytes(3 << 20))
        kernel_files.keep_within()
        assert "e" in {each.name[0] for each in folder.iterdir()}  # 0 means no bound
    finally:
        flags.set_flags({"FLAGS_kernel_files_mb": before})


# ---- files of other writers


def refused(folder, match, name="a" * 64):
    """Read a kernel that must not be used, and check that this is reported once."""
    with pytest.warns(RuntimeWarning, match=match):
        assert kernel_files.read(name) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kernel_files.read(name) is None
    kernel_files.write(name, {}, b"code")  # replaces it
    assert kernel_files.read(name) == ({}, b"code")


def test_a_fifo_is_not_waited_for(folder):
    kernel_files.write("b" * 64, {}, b"code")
    os.mkfifo(folder / ("a" * 64), 0o600)
    refused(folder, "is not a plain file")


def test_a_link_is_not_followed(folder, tmp_path):
    kernel_files.write("a" * 64, {}, b"code")
    os.rename(folder / ("a" * 64), tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", folder / ("a" * 64))
    refused(folder, "is not a plain file")


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_not_read(folder, mode):
    kernel_files.write("a" * 64, {}, b"code")
    (folder / ("a" * 64)).chmod(mode)
    refused(folder, "other users can write there")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
def test_a_file_of_another_user_is_not_read(folder):
    kernel_files.write("a" * 64, {}, b"code")
    os.chown(folder / ("a" * 64), 65534, 65534)
    refused(folder, "belongs to user 65534, but this process runs as user 0")


def test_a_file_that_is_too_long_is_not_read(folder, monkeypatch):
    kernel_files.write("a" * 64, {}, b"code" * 100)
    monkeypatch.setattr(kernel_files, "_MOST_BYTES", 300)
    refused(folder, "bytes, more than 300")


def test_a_folder_that_changes_its_mode_is_not_used_any_more(folder):
    kernel_files.write("a" * 64, {}, b"code")
    folder.chmod(0o722)
    with pytest.warns(RuntimeWarning, match="other users can write there"):
        assert kernel_files.read("a" * 64) is None


def test_a_folder_in_one_where_everybody_renames_is_not_used(folder, tmp_path):
    above = tmp_path / "above"
    above.mkdir()
    above.chmod(0o777)
    kernel_files.set_folder(above / "kernels")
    with pytest.warns(RuntimeWarning, match="any user can rename the files in it"):
        assert kernel_files.folder() is None
    above.chmod(0o1777)
    kernel_files.set_folder(above / "kernels")
    assert kernel_files.folder() == above / "kernels"
