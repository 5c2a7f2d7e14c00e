"""Untrusted archives: bombs, names outside the folder, links, and damage."""

import bz2
import gzip
import io
import lzma
import os
import random
import stat
import struct
import tarfile
import zipfile

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from jaxeager.io import archives

PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def _member(name, content=b"", kind=tarfile.REGTYPE, link="", size=None):
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(content), kind, link
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    if size is not None:  # a size that is not that of the content
        head[124:136] = b"\x80" + size.to_bytes(11, "big")
        head[148:156] = b" " * 8
        head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + content + b"\0" * (-len(content) % 512)


def _tar(path, *members, pack=bytes):
    path.write_bytes(pack(b"".join(members) + b"\0" * 1024))
    return path


def _read_all(path):
    with archives.tar_of(path) as archive:
        return {m.name: archives.content(archive, m).read() for m in archives.members(archive)}


# ---- reading


@pytest.mark.parametrize("pack", [bytes, *PACKERS.values()])
def test_archives_are_read_packed_or_not(tmp_path, pack):
    """Every compression of Python is accepted."""
    path = _tar(tmp_path / "a", _member("x", b"1"), _member("d", kind=tarfile.DIRTYPE), pack=pack)
    assert _read_all(path) == {"x": b"1"}
    with archives.tar_of(path) as archive:
        assert archives.member(archive, "x").read() == b"1"


@pytest.mark.parametrize("kind", PACKERS)
def test_tar_bombs(tmp_path, kind, monkeypatch):
    """An archive unpacks to far more than its length, in a member or in a skipped part."""
    monkeypatch.setattr(archives, "MORE", 2**20)
    zeros = b"\0" * (archives.MORE + 3 * 2**20)
    pack = PACKERS[kind]
    path = _tar(tmp_path / "a", _member("x", zeros), _member("y", b"1"), pack=pack)
    assert path.stat().st_size * archives.RATIO < 2 * 2**20
    with pytest.raises(InvalidArgumentError, match=r"a unpacks to more than \d+ bytes"):
        _read_all(path)
    with (
        pytest.raises(InvalidArgumentError, match="unpacks to more than"),
        archives.tar_of(path) as archive,
    ):
        archives.member(archive, "y")


@pytest.mark.parametrize("size", [2**20, 2**33, 2**62, 2**80])
def test_a_member_longer_than_its_archive_gets_no_memory(tmp_path, size):
    """A member that claims to be longer than the archive gets no memory for it."""
    path = _tar(tmp_path / "a", _member("x", b"1", size=size))
    with pytest.raises(InvalidArgumentError, match=r"unpacks to more|damaged"):
        _read_all(path)


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.GNUTYPE_SPARSE],
)
def test_members_that_are_no_plain_files_are_refused(tmp_path, kind):
    """Links to themselves and out of the archive, devices, and files with holes are refused."""
    path = _tar(tmp_path / "a", _member("x", kind=kind, link="x"), _member("y"))
    with pytest.raises(InvalidArgumentError, match="'x', which is not a plain file"):
        _read_all(path)
    with (
        pytest.raises(InvalidArgumentError, match="has no file x"),
        archives.tar_of(path) as archive,
    ):
        archives.member(archive, "x")


HEADERS = {
    "a long name": (tarfile.GNUTYPE_LONGNAME, b"y"),
    "the long name of a link": (tarfile.GNUTYPE_LONGLINK, b"y"),
    "pax": (tarfile.XHDTYPE, b"7 a=bc\n"),
}


@pytest.mark.parametrize("kind", HEADERS)
def test_a_chain_of_headers(tmp_path, kind):
    """tarfile calls itself for each header that announces another; Python's limit is not met."""
    header = _member("x", HEADERS[kind][1], kind=HEADERS[kind][0])
    path = _tar(tmp_path / "a", *[header] * 2000, _member("y"))
    with pytest.raises(InvalidArgumentError, match=r"damaged.*more than 16 headers"):
        _read_all(path)
    _tar(path, *[header] * 15, _member("y", b"1"))
    assert list(_read_all(path).values()) == [b"1"]


def test_damaged_tar_files(tmp_path):
    """With bytes changed or cut off, it returns the remaining content or one error."""
    refused = 0
    for number in range(600):
        draw = random.Random(number)
        pack = draw.choice([bytes, *PACKERS.values()])
        whole = bytearray(
            pack(b"".join(_member(f"m{n}", bytes([n]) * 700) for n in range(3)) + b"\0" * 1024)
        )
        for _ in range(draw.choice((1, 2, 8))):
            whole[draw.randrange(len(whole))] = draw.randrange(256)
        path = tmp_path / "a"
        path.write_bytes(whole[: draw.choice((len(whole), draw.randrange(len(whole))))])
        try:
            _read_all(path)
        except InvalidArgumentError:
            refused += 1
    assert refused > 100


# ---- unpacking


BAD_NAMES = ["../out", "a/../../out", "/tmp/out", "a\\..\\out", "c:out", "..", "./../out"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_lead_out(tmp_path, name):
    """They are refused, and nothing is left of the archive."""
    (tmp_path / "in").mkdir()
    path = _tar(tmp_path / "in" / "a", _member("jpg/x", b"1"), _member(name, b"2"))
    with pytest.raises(InvalidArgumentError, match=r"a name that points outside of it"):
        archives.unpacked(path, tmp_path / "in" / "folder", "jpg")
    assert os.listdir(tmp_path / "in") == ["a"]
    assert os.listdir(tmp_path) == ["in"]


def test_links_are_not_unpacked(tmp_path):
    """The archive has a link to a folder outside, and then a file in it."""
    (tmp_path / "outside").mkdir()
    path = _tar(
        tmp_path / "a",
        _member("jpg", kind=tarfile.SYMTYPE, link=str(tmp_path / "outside")),
        _member("jpg/x", b"1"),
    )
    with pytest.raises(InvalidArgumentError, match="'jpg', which is not a plain file"):
        archives.unpacked(path, tmp_path / "folder", "jpg")
    assert sorted(os.listdir(tmp_path)) == ["a", "outside"]
    assert os.listdir(tmp_path / "outside") == []


@pytest.mark.parametrize(
    "members",
    [
        [("jpg", b"1"), ("jpg/x", b"2")],
        [("jpg/x", b"1"), ("jpg", b"2")],
        [("jpg/" + "n" * 90 + "/" + "n" * 9, b"1"), ("jpg/" + "n" * 90, b"1")],
        [("other/x", b"1")],
    ],
)
def test_names_that_do_not_go_together(tmp_path, members):
    """The archive has a file where a folder is, and no needed file."""
    path = _tar(tmp_path / "a", *(_member(*each) for each in members))
    with pytest.raises(InvalidArgumentError, match=r"damaged, or of another|has no folder jpg"):
        archives.unpacked(path, tmp_path / "folder", "jpg")
    assert os.listdir(tmp_path) == ["a"]


def test_unpacked_whole_or_not_at_all(tmp_path):
    """A damaged archive leaves nothing; an intact one is unpacked once."""
    members = _member("jpg/x", b"1" * 5000), _member("jpg/x", b"2"), _member("./jpg/y", b"3")
    path = _tar(tmp_path / "a", *members, pack=gzip.compress)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(InvalidArgumentError, match="damaged"):
        archives.unpacked(path, tmp_path / "folder", "jpg")
    assert os.listdir(tmp_path) == ["a"]
    path.write_bytes(whole)
    (tmp_path / "folder").mkdir()
    for _ in range(2):
        archives.unpacked(path, tmp_path / "folder", "jpg")
        assert (tmp_path / "folder" / "jpg" / "x").read_bytes() == b"2"
        assert (tmp_path / "folder" / "jpg" / "y").read_bytes() == b"3"
        path.write_bytes(b"gone")
    (tmp_path / "plain").mkdir()
    mode = stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == mode
    assert sorted(os.listdir(tmp_path)) == ["a", "folder", "plain"]


# ---- ZIP and gzip


def _zip(path, **contents):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(f"ml-1m/{name}.dat", content)
    return path


RATINGS = {"movies": "1::A (1990)::X\n", "users": "1::M::1::2::3\n", "ratings": "1::1::5::9\n" * 9}


def test_zip_bombs_and_damage(tmp_path):
    """Too much content, an unknown compression, a password, or changed bytes: one error."""
    path = tmp_path / "ml-1m.zip"
    assert len(paddle.text.Movielens(_zip(path, **RATINGS))) > 3
    whole = path.read_bytes()
    _zip(path, **RATINGS, zeros=b"\0" * (archives.MORE + 2 * 2**20))
    with pytest.raises(InvalidArgumentError, match=r"unpacks to \d+ bytes, which is more than 100"):
        paddle.text.Movielens(path)
    for place, value in ((6, 1), (8, 99)):  # flags, and the compression
        central = whole.index(b"PK\1\2") + place + 2
        path.write_bytes(whole[:central] + bytes([value]) + whole[central + 1 :])
        with pytest.raises(InvalidArgumentError, match=r"ml-1m\.zip (cannot be read|is damaged)"):
            paddle.text.Movielens(path)
    refused = 0
    for number in range(300):
        draw, data = random.Random(number), bytearray(whole)
        for _ in range(draw.choice((1, 3))):
            data[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(data[: draw.choice((len(data), draw.randrange(len(data))))])
        try:
            paddle.text.Movielens(path)
        except InvalidArgumentError:
            refused += 1
    assert refused > 100


def test_gzip_bombs_and_damage(tmp_path):
    """Digits that unpack to far more than their length, and bytes changed."""
    images, labels = tmp_path / "images", tmp_path / "labels"
    labels.write_bytes(struct.pack(">2i", 2049, 3) + bytes(3))
    body = struct.pack(">4i", 2051, 3, 28, 28) + np.arange(3 * 784).astype("uint8").tobytes()
    images.write_bytes(gzip.compress(struct.pack(">4i", 2051, 2**20, 28, 28) + bytes(30 * 2**20)))
    with pytest.raises(InvalidArgumentError, match=r"images unpacks to more than \d+ bytes"):
        paddle.vision.datasets.MNIST(images, labels)
    refused = 0
    for number in range(300):
        draw, data = random.Random(number), bytearray(gzip.compress(body))
        data[draw.randrange(2, len(data))] = draw.randrange(256)
        images.write_bytes(data[: draw.choice((len(data), draw.randrange(2, len(data))))])
        try:
            paddle.vision.datasets.MNIST(images, labels)
        except InvalidArgumentError:
            refused += 1
    assert refused > 100


def test_a_stream_ends_where_it_gets_too_long():
    """Reading and seeking are both bounded, and no more is read than that."""
    file = archives.Bounded(io.BytesIO(b"x" * 100), 60, "file")
    assert file.read(60) == b"x" * 60
    with pytest.raises(InvalidArgumentError, match="file unpacks to more than 60 bytes"):
        file.read(2**60)
    file.seek(10)
    with pytest.raises(InvalidArgumentError, match="file unpacks to more than 60 bytes"):
        file.seek(61)
