"""Ways to damage a file: bytes, numbers of JSON, packed contents, names in archives."""

import functools
import gzip
import io
import json
import random
import tarfile
import zipfile
import zlib

from tests.support.damages import change, cut, flip, position, repeat

NUMBERS = (0, 1, 2, 127, 128, 255, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)
NAMES = ("../../evil", "/tmp/evil", "a/../../evil", "\0", "", ".", "x" * 5000, "C:\\evil")
VALUES = (
    None, True, 0, -1, 2**70, 1.5, float("nan"), float("inf"), "", "x", "../../evil", [], {}, [[]],
    [0] * 1000, {"a": {}}, [-1], "9" * 400, [2**40, 2**40],
)  # fmt: skip
TEXTS = (b"nan", b"inf", b"-1", b"1e999", b"9" * 5000, b"\xff\xfe", b"\0", b"\n", b"::", b"\t")


def mutated(data: bytes, others: list[bytes], draw: random.Random) -> bytes:
    """Return a damaged file.

    Args:
        data: a file.
        others: files of the same format, parts of which may be inserted.
        draw: the source of random choices.
    """
    if draw.random() < 0.4:
        inside = _inside(data, others, draw)
        if inside is not None:
            return inside
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        draw.choice(_OF_BYTES)(draw, changed, others)
    return bytes(changed)


def _leave_out(draw, data, others):
    place = position(draw, data)
    del data[place : place + draw.choice((1, 2, 4, 30, 512))]


def _splice(draw, data, others):
    other = draw.choice(others)
    start = draw.randrange(len(other) + 1)
    part, place = other[start : start + draw.choice((3, 40, 400))], position(draw, data)
    data[place : place + draw.choice((0, len(part)))] = part


def _count(draw, data, others):
    """Put another number where a length may be."""
    place, size = position(draw, data), draw.choice((1, 2, 4, 8))
    number, order = draw.choice((*NUMBERS, len(data))), draw.choice(("little", "big"))
    data[place : place + size] = (number % 256**size).to_bytes(size, order)


def _write(draw, data, others):
    """Put text where a number or a word may be."""
    place = position(draw, data)
    data[place : place + draw.choice((0, 1, 3))] = draw.choice(TEXTS)


def _empty(draw, data, others):
    data[:] = draw.choice((b"", b"\0" * 100, b"[" * 100_000, b"{}", b"[]", b"null"))


_OF_BYTES = (
    flip, flip, change, change, cut, _leave_out, repeat, _splice, _count, _write, _write,
)  # fmt: skip
_OF_BYTES = (*_OF_BYTES, *_OF_BYTES, *_OF_BYTES, _empty)


def _inside(data: bytes, others: list[bytes], draw: random.Random) -> bytes | None:
    """Return a file whose content was damaged before packing; None if it has none."""
    if data[:2] == b"\x1f\x8b":
        content = gzip.decompress(data)
        if draw.random() < 0.05:  # a bomb
            return gzip.compress(content, 1, mtime=0) + _bomb()
        return gzip.compress(mutated(content, [content], draw), 1, mtime=0)
    if data[:2] == b"PK":
        return _of_zip(data, draw)
    if data[257:262] == b"ustar":
        return _of_tar(data, draw)
    if data[:1] in (b"{", b"["):
        return _of_json(data, draw)
    if len(data) > 8 and data[8:9] == b"{":  # safetensors
        size = int.from_bytes(data[:8], "little")
        head = _of_json(data[8 : 8 + size], draw)
        return None if head is None else len(head).to_bytes(8, "little") + head + data[8 + size :]
    return None


@functools.cache
def _bomb() -> bytes:
    """Return a part of a gzip file that unpacks to 600 MB."""
    return gzip.compress(bytes(600 << 20), 1, mtime=0)


def _of_json(data: bytes, draw: random.Random) -> bytes | None:
    try:
        tree = json.loads(data)
    except ValueError:
        return None
    places = [(tree, key) for key in _keys(tree)]
    for container, key in places:
        inner = container[key]
        places += [(inner, each) for each in _keys(inner)]
    if not places:
        return None
    container, key = draw.choice(places)
    kind = draw.randrange(5)
    if kind == 0:
        del container[key]
    elif kind == 1 and isinstance(container, dict):
        container[draw.choice((key + "x", "../evil", ""))] = container.pop(key)
    elif kind == 2:
        container[key] = draw.choice(places)[0]  # another part: maybe one that holds this one
    elif kind == 3 and isinstance(container, list):
        container.append(container[key])
    else:
        container[key] = draw.choice(VALUES)
    try:
        text = json.dumps(tree)
    except (ValueError, RecursionError):  # it holds itself
        return None
    if draw.random() < 0.1 and '": ' in text:  # a key twice
        text = text.replace("{", '{"form": 1, "form": 2, ', 1)
    return text.encode()


def _keys(tree) -> list:
    return [*tree] if isinstance(tree, dict) else [*range(len(tree))] if type(tree) is list else []


def _of_tar(data: bytes, draw: random.Random) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as old, tarfile.open(fileobj=out, mode="w") as new:
        found = old.getmembers()
        chosen = draw.choice(found)
        for each in found:
            file = old.extractfile(each)
            content = file.read() if file is not None else b""
            if each is chosen:
                kind = draw.randrange(6)
                if kind == 0:
                    each.name = draw.choice(NAMES[:3] + NAMES[4:])
                elif kind == 1:
                    each.type, each.linkname = draw.choice(
                        ((tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "../../evil"),
                         (tarfile.FIFOTYPE, ""), (tarfile.CHRTYPE, ""))
                    )  # fmt: skip
                elif kind == 2:
                    continue
                else:
                    content = mutated(content, [content], draw)
                each.size = len(content) if each.isreg() else 0
            new.addfile(each, io.BytesIO(content))
    return out.getvalue()


def _of_zip(data: bytes, draw: random.Random) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        found = old.infolist()
        chosen = draw.choice(found)
        for each in found:
            content, name = old.read(each), each.filename
            if each is chosen:
                kind = draw.randrange(5)
                if kind == 0:
                    name = draw.choice(NAMES[:3]) or "x"
                elif kind == 1:
                    continue
                elif kind == 2 and draw.random() < 0.2:  # a bomb
                    content += bytes(300 << 20)
                else:
                    content = mutated(content, [content], draw)
            new.writestr(name, content, zipfile.ZIP_DEFLATED, 1)
    return out.getvalue()


def crc_mended(data: bytes) -> bytes:
    """Return a PNG whose checksums of its parts are right again."""
    out, at = bytearray(data[:8]), 8
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        body = data[at + 4 : at + 8 + size]
        out += data[at : at + 4] + body + zlib.crc32(body).to_bytes(4, "big")
        at += 12 + size
    return bytes(out)
