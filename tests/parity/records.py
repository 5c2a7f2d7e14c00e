"""What real Paddle answered, in files: `make test` compares with them and needs no Paddle.

`records/<family>.json` holds the answers to the programs of one file, `records/asked/` those to
questions (`questions.py`). With each stands the key of the text that Paddle ran (`sources.py`), and
with each file Paddle's version: what has no record, or another key, fails and says what renews it.
"""

import functools
import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

from .plain import decode, encode, pretty

PADDLE_VERSION = "3.3.1"
FOLDER = Path(__file__).with_name("records")
RENEW = "make record"


class NoRecordError(AssertionError):
    """Nothing is recorded of what a test asks, or of another text than stands there now."""


class Answer(NamedTuple):
    """What real Paddle did when it was asked.

    Attributes:
        gives: the value it gave; None when its process ended.
        ended: how its process ended, "" when it did not.
    """

    gives: Any = None
    ended: str = ""


def lookup(file: str, name: str, key: str) -> Answer:
    """Returns the recorded answer.

    Args:
        file: the record's file below `records`, without its ending.
        name: what was asked.
        key: of the text that is run now.

    Raises:
        NoRecordError: there is none, or it belongs to another text or another Paddle.
    """
    found = _read(file)
    entry = found["answers"].get(name)
    if entry is None:
        _fail(f"Paddle's answer to {name} is not recorded", file)
    if found["paddle"] != PADDLE_VERSION:
        _fail(f"Paddle {found['paddle']} was recorded, and {PADDLE_VERSION} is compared with", file)
    if entry["source"] != key:
        _fail(f"{name} was changed since Paddle's answer to it was recorded", file)
    return Answer(decode(entry.get("gives")), entry.get("ended", ""))


def is_current(file: str, name: str, key: str) -> bool:
    """Return whether an answer is recorded for the text that is run now."""
    try:
        lookup(file, name, key)
    except NoRecordError:
        return False
    return True


def entry_of(file: str, name: str) -> Any:
    """Returns the record of an answer as it stands in its file, None when there is none."""
    return _read(file)["answers"].get(name)


def names_in(file: str) -> set[str]:
    """Returns the names whose answers a file holds."""
    return set(_read(file)["answers"])


def files() -> set[str]:
    """Returns the files that there are, without their endings."""
    paths = [*FOLDER.rglob("*.json"), *FOLDER.rglob("*.json.gz")]
    return {path.relative_to(FOLDER).as_posix().partition(".json")[0] for path in paths}


def renew(file: str, answers: dict[str, tuple[str, Answer]], keep: set[str], is_big=False) -> None:
    """Write answers into a file, with those that are there.

    Args:
        file: as in `lookup`.
        answers: by name, the key and the answer.
        keep: the names that may stay; the others are dropped.
        is_big: writes it compressed.
    """
    found = _read(file)
    entries = found["answers"] if found["paddle"] == PADDLE_VERSION else {}
    for name, (key, answer) in answers.items():
        given = {"ended": answer.ended} if answer.ended else {"gives": encode(answer.gives)}
        entries[name] = {"source": key, **given}
    entries = {name: entries[name] for name in sorted(entries) if name in keep}
    text = pretty({"paddle": PADDLE_VERSION, "answers": entries}) + "\n"
    path = _path(file)
    path.unlink(missing_ok=True)
    path = FOLDER / f"{file}.json{'.gz' if is_big else ''}"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    path.write_bytes(gzip.compress(data, 9, mtime=0) if is_big else data)
    _read.cache_clear()


def drop(file: str) -> None:
    """Removes a file that nothing asks for any more."""
    _path(file).unlink()


def _path(file: str) -> Path:
    big = FOLDER / f"{file}.json.gz"
    return big if big.exists() else FOLDER / f"{file}.json"


@functools.cache
def _read(file: str) -> dict[str, Any]:
    if not _path(file).exists():
        return {"paddle": PADDLE_VERSION, "answers": {}}
    return json.loads(text_of(file))


def text_of(file: str) -> str:
    """Returns the text of a file."""
    path = _path(file)
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def _fail(what: str, file: str) -> None:
    raise NoRecordError(
        f"{what} (tests/parity/records/{file}.json). Where real Paddle is installed (Linux x86-64, "
        f"Python 3.11 to 3.13) this records it: {RENEW}"
    )
