"""What real Paddle gives for a program: asked of its process, or looked up in the records."""

import re
import tempfile
from pathlib import Path
from typing import Any

from .compare import differences
from .harness import Worker, WorkerDied
from .records import Answer, lookup
from .registry import ANYTHING, CRASHES, Exchange, Program
from .sources import key_of_function

TRIES = 3  # what becomes of a Paddle that uses memory which is not its own is a matter of chance
EXCHANGES_FILE = "exchanges"


def key_of(asked: Program | Exchange) -> str:
    """Returns the key of a program's record."""
    if isinstance(asked, Exchange):
        return key_of_function(asked.write, asked.read)
    return key_of_function(asked.run)


def file_of(asked: Program | Exchange) -> str:
    """Returns the file of a program's record."""
    return EXCHANGES_FILE if isinstance(asked, Exchange) else asked.family


def recorded(asked: Program | Exchange) -> Answer:
    """Returns what is recorded of a program; of an exchange, the files and what was read."""
    return lookup(file_of(asked), asked.name, key_of(asked))


def asked_of(worker: Worker, asked: Program | Exchange) -> Answer:
    """Returns what real Paddle gives now.

    A program of which it dies, or that gives anything, is tried some times until it does so.
    """
    if isinstance(asked, Exchange):
        return Answer(_exchanged(worker, asked))
    answer = Answer()
    for _ in range(TRIES):
        answer = _tried(worker, asked)
        if is_known(asked, answer):
            break
    return answer


def is_known(asked: Program, answer: Answer) -> bool:
    """Says whether Paddle did of a program what the program says that it does."""
    if asked.right is None:
        return not answer.ended
    if asked.paddle_gives == CRASHES:
        # Its signal handler takes a lock, so that it may wait for ever.
        return bool(re.search(r"SIG|no answer in time", answer.ended))
    if asked.paddle_gives == ANYTHING:
        return bool(answer.ended or differences(answer.gives, asked.right))
    return not answer.ended and not differences(asked.paddle_gives, answer.gives)


def _tried(worker: Worker, asked: Program) -> Answer:
    try:
        answer = Answer(worker.run(asked.name))
    except WorkerDied as death:
        return Answer(ended=death.how)
    if asked.paddle_gives == ANYTHING:
        worker.stop()  # the next program gets a process whose memory is in order
    return answer


def _exchanged(worker: Worker, pair: Exchange) -> dict[str, Any]:
    """Returns the files that real Paddle writes, and what it reads from them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        worker.write(pair.name, folder)
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        return {"files": files, "read": worker.read(pair.name, folder)}
