"""Files by their addresses: existing, downloaded, or a clear error."""

import hashlib
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from jaxeager.errors import UnavailableError
from jaxeager.utils import download

URL = "https://host/folder/"


@pytest.fixture
def fetched(monkeypatch):
    """Serve addresses from a dict, and record the requests."""
    answers, asked = {}, []

    def urlopen(url, timeout):
        asked.append(url)
        if url not in answers:
            raise OSError("no network")
        return io.BytesIO(answers[url])

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    return answers, asked


def test_a_file_that_is_here_is_not_fetched(tmp_path, fetched):
    (tmp_path / "a.bin").write_bytes(b"hi")
    md5 = hashlib.md5(b"hi").hexdigest()
    for checksum in (None, md5):
        path = download.get_path_from_url(URL + "a.bin", str(tmp_path), checksum)
        assert path == str(tmp_path / "a.bin")
    assert fetched[1] == []


def test_a_file_that_is_not_here_is(tmp_path, fetched, monkeypatch):
    fetched[0][URL + "a.bin"] = b"new"
    (tmp_path / "a.bin").write_bytes(b"old")
    md5 = hashlib.md5(b"new").hexdigest()
    path = download.get_path_from_url(URL + "a.bin", str(tmp_path), md5)
    assert Path(path).read_bytes() == b"new"
    monkeypatch.setattr(download, "WEIGHTS_HOME", str(tmp_path / "deep" / "home"))
    assert os.path.exists(download.get_weights_path_from_url(URL + "a.bin"))
    assert sorted(os.listdir(tmp_path)) == ["a.bin", "deep"]


def test_without_a_network_it_says_where_the_file_goes(tmp_path, fetched):
    with pytest.raises(UnavailableError, match=r"failed \(no network\).*put the file at .*b\.bin"):
        download.get_path_from_url(URL + "b.bin", str(tmp_path))
    assert len(fetched[1]) == download.DOWNLOAD_RETRY_LIMIT
    fetched[0][URL + "b.bin"] = b"other"
    with pytest.raises(UnavailableError, match="its checksum is different"):
        download.get_path_from_url(URL + "b.bin", str(tmp_path), "0" * 32)
    assert os.listdir(tmp_path) == []
    with pytest.raises(ValueError, match="downloading from /x/y not a url"):
        download.get_path_from_url("/x/y", str(tmp_path))


def zipped(*names):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in names:
            archive.writestr(name, "text")
    return held.getvalue()


@pytest.mark.parametrize(
    ("names", "found"),
    [(("d/a.txt", "d/b.txt"), "d"), (("a.txt", "q/b.txt"), "arc"), (("one.txt",), "one.txt")],
)
def test_archives_are_unpacked_once(tmp_path, fetched, names, found):
    fetched[0][URL + "arc.zip"] = zipped(*names)
    for _ in range(2):
        path = download.get_path_from_url(URL + "arc.zip", str(tmp_path))
        assert path == str(tmp_path / found)
        assert os.path.exists(path)
    assert len(fetched[1]) == 1
    packed = download.get_path_from_url(URL + "arc.zip", str(tmp_path), decompress=False)
    assert packed.endswith("arc.zip")


def test_tar_files_and_what_would_leave_the_folder(tmp_path, fetched):
    (tmp_path / "in.txt").write_text("text")
    for name, inside in (("good.tar.gz", "d/in.txt"), ("bad.tar", "../out.txt")):
        with tarfile.open(tmp_path / name, "w:gz" if name.endswith("gz") else "w") as archive:
            archive.add(tmp_path / "in.txt", inside)
    assert download.get_path_from_url(URL + "good.tar.gz", str(tmp_path)) == str(tmp_path / "d")
    with pytest.raises(ValueError, match=r"would write outside its folder: \.\./out\.txt"):
        download.get_path_from_url(URL + "bad.tar", str(tmp_path))


def test_an_archive_that_is_cut_off_leaves_nothing(tmp_path, fetched):
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        for name in ("d/one", "d/two"):
            member = tarfile.TarInfo(name)
            member.size = 50_000
            archive.addfile(member, io.BytesIO(os.urandom(50_000)))
    whole = (tmp_path / "a.tar.gz").read_bytes()
    (tmp_path / "a.tar.gz").write_bytes(whole[:80_000])
    for _ in range(2):
        with pytest.raises(ValueError, match=r"a\.tar\.gz is damaged, or of another format"):
            download.get_path_from_url(URL + "a.tar.gz", str(tmp_path))
        assert [each.name for each in tmp_path.iterdir()] == ["a.tar.gz"]
    (tmp_path / "a.tar.gz").write_bytes(whole)
    path = Path(download.get_path_from_url(URL + "a.tar.gz", str(tmp_path)))
    assert sorted(each.stat().st_size for each in path.iterdir()) == [50_000, 50_000]


def test_archives_that_unpack_to_too_much(tmp_path, fetched):
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("d/zeros", bytes(40 << 20))
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("d/zeros")
        member.size = 40 << 20
        archive.addfile(member, io.BytesIO(bytes(40 << 20)))
    for name in ("b.zip", "b.tar.gz"):
        with pytest.raises(ValueError, match=rf"{name}.* unpacks to"):
            download.get_path_from_url(URL + name, str(tmp_path))
        assert not (tmp_path / "d").exists()
