"""Records what real Paddle answers: `python -m tests.parity record`, which `make record` runs.

It runs Paddle for programs without a record, or changed since, and writes the files below
`tests/parity/records`. `python -m tests.parity show NAME` prints one record.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .harness import ProgramFailed, Worker, paddle_python
from .oracle import asked_of, file_of, is_known, key_of
from .plain import encode, pretty
from .questions import QUESTIONS, ask
from .records import PADDLE_VERSION, Answer, drop, entry_of, files, is_current, names_in, renew
from .registry import EXCHANGES, PROGRAMS, Exchange, load_programs


class Asked(NamedTuple):
    """A recorded item: its file, its key, and the way to run it on Paddle."""

    file: str
    name: str
    key: str
    ask: Callable[[], Answer]
    is_big: bool = False


def main() -> int:
    """Run the command of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.parity", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="ask real Paddle what has no record yet")
    record.add_argument("-k", metavar="TEXT", default="", help="only what has this in its name")
    record.add_argument("--all", action="store_true", help="what is recorded already as well")
    show = commands.add_parser("show", help="print one record")
    show.add_argument("name")
    given = parser.parse_args()
    if given.command == "show":
        return _show(given.name)
    return _record(given.k, given.all)


def _show(name: str) -> int:
    for each in _everything(None):
        if each.name == name:
            print(pretty(entry_of(each.file, name)))
            return 0
    print(f"nothing that is recorded is named {name}", file=sys.stderr)
    return 1


def _record(text: str, is_all: bool) -> int:
    python = paddle_python()
    if python is None:
        print(f"real Paddle is not installed: pip install paddlepaddle=={PADDLE_VERSION}")
        return 1
    worker = Worker(python)
    worker.start()
    if worker.version != PADDLE_VERSION:
        print(f"{python} has Paddle {worker.version}, and {PADDLE_VERSION} is recorded")
        return 1
    everything = list(_everything(worker))
    chosen = [each for each in everything if text in f"{each.file} {each.name}"]
    stale = [each for each in chosen if is_all or not is_current(each.file, each.name, each.key)]
    found: dict[str, dict[str, tuple[str, Answer]]] = {}
    failures = []
    for each in stale:
        try:
            answer = each.ask()
            encode(answer.gives)
            found.setdefault(each.file, {})[each.name] = (each.key, answer)
        except (ProgramFailed, RuntimeError, TypeError, ValueError) as error:
            failures.append(str(error))
    worker.close()
    _write(everything, found)
    print(*failures, sep="\n")
    print(f"{len(stale) - len(failures)} of {len(everything)} recorded, {len(failures)} failed")
    return bool(failures)


def _write(everything: list[Asked], found: dict[str, dict[str, tuple[str, Answer]]]) -> None:
    """Write the changed files; remove records that nothing requests any more."""
    names: dict[str, set[str]] = {}
    for each in everything:
        names.setdefault(each.file, set()).add(each.name)
    big = {each.file for each in everything if each.is_big}
    for file in files():
        if file not in names:
            drop(file)
        elif names_in(file) - names[file]:
            found.setdefault(file, {})
    for file, answers in found.items():
        renew(file, answers, names[file], file in big)


def _everything(worker: Worker | None) -> Iterator[Asked]:
    """Yield all recorded items."""
    load_programs()
    for each in (*PROGRAMS.values(), *EXCHANGES.values()):
        yield Asked(file_of(each), each.name, key_of(each), lambda each=each: _asked(worker, each))
    for each in QUESTIONS.values():
        yield Asked(
            each.file,
            each.name,
            each.key,
            lambda each=each: Answer(ask(str(paddle_python()), each)),
            each.is_big,
        )


def _asked(worker, each) -> Answer:
    """Return Paddle's answer to a program, which must be of the kind that the program states."""
    answer = asked_of(worker, each)
    if not isinstance(each, Exchange) and not is_known(each, answer):
        given = answer.ended or json.dumps(str(answer.gives))[:300]
        raise ValueError(f"{each.name}: Paddle does not do what the program says, but: {given}")
    return answer


if __name__ == "__main__":
    raise SystemExit(main())
