"""docs/docstring-examples.md: the examples in Paddle's docstrings, run on both libraries.

`python tools/docstring_examples.py` runs all of them (with real Paddle installed; half an hour) and
records the outcomes in docstring_examples.json; with `--others` only those that did not agree.
`make test-all` runs them again and compares. docstring_reasons.toml states why an example has
another outcome here. The text of the examples is not stored: it is read from the installed wheel
each time.
"""

import json
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the runner is under tests/

from tests.docstrings.collect import Example, examples_of  # noqa: E402
from tests.docstrings.compare import Verdict, verdict  # noqa: E402
from tests.parity.harness import Worker, WorkerDied  # noqa: E402

RECORDS = ROOT / "tools" / "docstring_examples.json"
REASONS = ROOT / "tools" / "docstring_reasons.toml"
SCRIPT = ROOT / "tests" / "docstrings" / "worker.py"
LIMIT_S = 120
AGREES = ("agrees", "agrees in form")
KINDS = (*AGREES, "lacks a name", "differs", "Paddle fails")


class Libraries:
    """A process of real Paddle and one of jaxeager, which run examples; a context manager.

    Args:
        paddle_python: the interpreter that has real Paddle.
    """

    def __init__(self, paddle_python: str):
        extra = {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
        self.paddle = Worker(paddle_python, "paddle", SCRIPT, {"PYTHONPATH": ""})
        self.ours = Worker(sys.executable, "jaxeager", SCRIPT, extra)

    def __enter__(self) -> "Libraries":
        return self

    def __exit__(self, *_) -> None:
        self.paddle.close()
        self.ours.close()

    def compare(self, example: Example) -> Verdict:
        """Run one example on both: on Paddle twice, which shows whether it uses random numbers."""
        first, second = (_ask(self.paddle, example, seed) for seed in (1, 2))
        return verdict(first, second, _ask(self.ours, example, 1))


def _ask(worker: Worker, example: Example, seed: int) -> list:
    try:
        return worker.ask((example.statements, seed), example.name, LIMIT_S)
    except WorkerDied as died:
        return [("error", "the process", died.how)]


def paddle_folder(paddle_python: str) -> Path:
    """Return where Paddle is installed."""
    code = "import importlib.util as u; print(u.find_spec('paddle').submodule_search_locations[0])"
    done = subprocess.run([paddle_python, "-c", code], text=True, capture_output=True, check=True)
    return Path(done.stdout.strip())


def part_of(name: str) -> str:
    """Return the part of Paddle that an example belongs to: "nn.functional", "tensor", "fft"."""
    *folders, file = name.partition("::")[0].removesuffix(".py").split("/")
    return ".".join(folders[:2]) or file


# ---- the records: {"excluded": {why: count}, "examples": {name: [kind, text]}}


class Reason(NamedTuple):
    """The reason why examples have another outcome here.

    Attributes:
        text: the reason.
        names: patterns of the names of examples.
    """

    text: str
    names: tuple[str, ...]

    def is_of(self, name: str) -> bool:
        """Return whether an example is one of them."""
        return any(fnmatchcase(name, pattern) for pattern in self.names)


def reasons() -> list[Reason]:
    """Return the reasons, in the order of docstring_reasons.toml."""
    table = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    return [Reason(row["reason"], tuple(row["names"].split())) for row in table["reason"]]


def reason_of(name: str, known: Iterable[Reason]) -> str:
    """Return the reason why an example has another outcome, "" if there is none."""
    return next((reason.text for reason in known if reason.is_of(name)), "")


def records() -> dict:
    """Return the recorded outcomes."""
    return json.loads(RECORDS.read_text(encoding="utf-8"))


def kind_of(found: Verdict) -> str:
    """Return the recorded kind: an example that fails only here counts as one that differs."""
    return "differs" if found.kind in ("fails", "differs") else found.kind


def parts_of(recorded: dict) -> dict[str, Counter]:
    """Return the number of examples with each outcome, by part."""
    parts: dict[str, Counter] = {}
    for name, (kind, _) in recorded["examples"].items():
        parts.setdefault(part_of(name), Counter())[kind] += 1
    return parts


def write(examples: list[Example], found: dict[str, Verdict]) -> None:
    """Record the outcomes of examples; keep the records of others."""
    before = records()["examples"] if RECORDS.exists() else {}
    known = {example.name for example in examples if not example.excluded}
    excluded = Counter(example.excluded for example in examples if example.excluded)
    outcomes = {name: entry for name, entry in before.items() if name in known}
    outcomes |= {name: [kind_of(each), _short(each)] for name, each in found.items()}
    rows = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(outcomes[name])}" for name in sorted(outcomes)
    )
    left_out = json.dumps(dict(sorted(excluded.items())))
    text = f'{{"excluded": {left_out},\n"examples": {{\n{rows}\n}}}}\n'
    RECORDS.write_text(text, encoding="utf-8")


def _short(found: Verdict) -> str:
    """Return the beginning of one of our errors; for one of Paddle's its class."""
    if found.kind in (*AGREES, "differs"):
        return ""
    line = found.text.partition("\n")[0]
    return line.partition(" ")[0] if found.kind == "Paddle fails" else line[:160]


# ---- the page


def docstrings_page() -> str:
    """Return docs/docstring-examples.md."""
    recorded, known = records(), reasons()
    return "\n".join([*_head(recorded), *_table(recorded), *_others(recorded, known)]) + "\n"


def _head(recorded: dict) -> list[str]:
    total = _total(recorded)
    ran = sum(total.values()) - total["Paddle fails"]
    same = sum(total[kind] for kind in AGREES)
    left_out = ", ".join(f"{count} {why}" for why, count in recorded["excluded"].items())
    return [
        "# The examples in Paddle's docstrings",
        "",
        "Made by `python tools/generate.py` from `docstring_examples.json`, which",
        "`python tools/docstring_examples.py` records, and `docstring_reasons.toml`; `make",
        "test-all` runs each again. Do not edit.",
        "",
        "Every example in a docstring of an installed Paddle 3.3.1 is run unchanged, on Paddle and",
        "here, and the output of each statement is compared: numbers within 1e-3, drawn numbers by",
        f"their form. Of {sum(total.values())} examples that need no GPU, no second process and no",
        f"static graph (left out: {left_out})",
        f"{total['Paddle fails']} fail on Paddle itself; of the other {ran}, **{same} print the",
        f"same here ({same / ran:.0%})**, {total['lacks a name']} need a name that is lacking, and",
        f"{total['differs']} differ, for the reasons below.",
        "",
    ]


def _total(recorded: dict) -> Counter:
    return Counter(kind for kind, _ in recorded["examples"].values())


def _table(recorded: dict) -> Iterator[str]:
    yield f"| part | {' | '.join(KINDS)} |"
    yield f"|---|{'---|' * len(KINDS)}"
    for part, counts in parts_of(recorded).items():
        yield f"| `{part}` | {' | '.join(str(counts.get(kind, 0)) for kind in KINDS)} |"
    total = _total(recorded)
    yield f"| **all** | {' | '.join(f'**{total[kind]}**' for kind in KINDS)} |"


def _others(recorded: dict, known: list[Reason]) -> Iterator[str]:
    yield from ("", "## Examples that differ", "", "| why | examples |", "|---|---|")
    differing = [n for n, (kind, _) in recorded["examples"].items() if kind == "differs"]
    for reason in known:
        of_it = [f"`{_called(name)}`" for name in differing if reason.is_of(name)]
        if of_it:
            yield f"| {reason.text} | {' '.join(dict.fromkeys(of_it))} |"
    yield from ("", "## Examples that need a missing name", "")
    yield "[coverage.md](coverage.md) gives the reason for each missing name."
    yield from ("", "| message | examples |", "|---|---|")
    lacking: dict[str, list[str]] = {}
    for name, (kind, text) in recorded["examples"].items():
        if kind == "lacks a name":
            lacking.setdefault(text.partition(". ")[0].partition(": ")[2], []).append(_called(name))
    for text, names in sorted(lacking.items()):
        yield f"| {text} | {' '.join(f'`{name}`' for name in dict.fromkeys(names))} |"


def _called(name: str) -> str:
    """Return the displayed name of an example: the file and the owner of the docstring."""
    file, _, rest = name.partition("::")
    what = rest.partition("@")[0]
    return f"{file.removesuffix('.py').replace('/', '.')}.{what}".rstrip(".")


def main(arguments: list[str]) -> None:
    """Run examples and record the outcomes: all, or those that did not agree."""
    from tests.parity.harness import ABSENT, paddle_python

    python = paddle_python()
    if python is None:
        raise SystemExit(ABSENT)
    examples = examples_of(paddle_folder(python))
    wanted = [example for example in examples if not example.excluded]
    if "--others" in arguments:
        went = records()["examples"]
        done = (*AGREES, "Paddle fails")
        wanted = [each for each in wanted if went.get(each.name, [""])[0] not in done]
    found = {}
    with Libraries(python) as libraries:
        for number, example in enumerate(wanted, 1):
            found[example.name] = libraries.compare(example)
            print(f"\r{number} of {len(wanted)}", end="", flush=True, file=sys.stderr)
    print(file=sys.stderr)
    write(examples, found)
    print(dict(_total(records())))


if __name__ == "__main__":
    main(sys.argv[1:])
