"""Reads damaged files in a separate process: equal, refused with their names, or a failure.

Run as a script with these arguments: formats separated by commas, the number of the first file, the
number of files of each. Each number is always the same file. It prints a line of JSON for each
format: the number of files with each outcome, and the failures.
"""

import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError
from tests.formats.formats import FORMATS, Format, plain
from tests.formats.mutations import crc_mended, mutated

SECONDS = 30  # for one file
MEMORY = 3 << 30  # beyond the memory when the first is read: bombs are of 600 MB and more


class Hung(BaseException):
    """A file that takes too long."""


def _end(*_):
    raise Hung


def outcome(kind: Format, folder: Path, name: str, whole) -> tuple[str, str]:
    """Return the outcome of a damaged file, and a text about it."""
    signal.alarm(SECONDS)
    try:
        found = kind.read(folder)
    except Hung:
        return "hung", ""
    except (InvalidArgumentError, *kind.errors) as error:
        text = "\n".join((str(error), *getattr(error, "__notes__", ())))
        if os.path.basename(name) in text or str(folder) in text:
            return "refused", ""
        return "refused without its name", text[:200]
    except MemoryError:
        return "memory", traceback.format_exc()[-600:]
    except Exception:
        return "refused badly", traceback.format_exc()[-900:]
    finally:
        signal.alarm(0)
    if kind.skips and found is None:
        return "refused", ""
    if plain(found) == whole:
        return "equal", ""
    return ("other values" if kind.has_digest else "other"), ""


def run(name: str, first: int, count: int) -> tuple[Counter, dict[str, list]]:
    """Return the number of files with each outcome, and examples of failures."""
    kind, tally, wrong = FORMATS[name], Counter(), {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        seeds = Path(made, "seeds")
        seeds.mkdir()
        paddle.seed(0)
        kind.make(seeds)
        names = sorted(str(p.relative_to(seeds)) for p in seeds.rglob("*") if p.is_file())
        names = [each for each in names if not kind.damaged or each in kind.damaged]
        whole = plain(kind.read(_copied(seeds, made)))
        others = [(seeds / each).read_bytes() for each in names]
        _bound()
        for number in range(first, first + count):
            draw = random.Random(f"{name} {number}")
            place = draw.randrange(len(names))
            data = mutated(others[place], others, draw)
            if data[1:4] == b"PNG" and draw.random() < 0.5:
                data = crc_mended(data)
            folder = _copied(seeds, made)
            (folder / names[place]).write_bytes(data)
            kind.mend(folder)
            print(name, number, names[place], file=sys.stderr, flush=True)  # if the process ends
            what, text = outcome(kind, folder, names[place], whole)
            tally[what] += 1
            if what not in ("equal", "refused", "other"):
                wrong.setdefault(what, []).append((number, names[place], text))
    return tally, wrong


def _copied(seeds: Path, made: str) -> Path:
    outer = Path(made, "copy")
    shutil.rmtree(outer, ignore_errors=True)
    shutil.copytree(seeds, outer / "files")
    return outer / "files"


def _bound() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages + MEMORY, most))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _end)
    for each in sys.argv[1].split(","):
        began = time.process_time()
        tally, wrong = run(each, int(sys.argv[2]), int(sys.argv[3]))
        shown = {what: [len(found), found[:6]] for what, found in wrong.items()}
        print(
            json.dumps(
                {
                    "format": each,
                    "tally": tally,
                    "wrong": shown,
                    "seconds": round(time.process_time() - began),
                }
            ),
            flush=True,
        )
