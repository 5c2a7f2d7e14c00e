"""Requests to real Paddle besides programs: the output and the files of scripts.

The tests of the debug tools run one corpus under each tool (`tests/debug/record.py`); others run a
separate script. `paddle_says` returns the recorded answer, or, under `JAXEAGER_PADDLE=live`, which
`make test-all` sets, Paddle's current answer.
"""

import functools
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .harness import needed_paddle
from .records import lookup
from .sources import key_of_files

TESTS = Path(__file__).resolve().parents[1]
DEBUG = TESTS / "debug"
ROOT = TESTS.parent
PROGRAMS = TESTS / "programs"  # ordinary Paddle programs, run as they are
EXAMPLES = ROOT / "examples"
EXAMPLE_RUNNER = TESTS / "compat" / "run_example.py"
STAND_INS = DEBUG / "stand_ins"  # packages that Paddle's tools import, without installing them
LIMIT_S = 300


@dataclass(frozen=True)
class Question:
    """A script that real Paddle runs.

    Attributes:
        name: unique; its record is `records/asked/<name>`.
        script: the script; its arguments follow.
        arguments: `{folder}` is replaced by an empty folder.
        has_files: whether the files written there belong to the answer.
        others: further files that its answer depends on.
        is_big: whether its record is compressed.
    """

    name: str
    script: Path
    arguments: tuple[str, ...] = ("paddle",)
    others: tuple[Path, ...] = ()
    has_files: bool = True
    is_big: bool = False

    @property
    def file(self) -> str:
        """Return the file of its record."""
        return f"asked/{self.name}"

    @property
    def key(self) -> str:
        """Return the key of its files."""
        return key_of_files((self.script, *self.others))


# The examples that are ordinary Paddle code, run for 20 steps: their further arguments, and the
# files that their numbers depend on.
PADDLE_EXAMPLES: dict[str, tuple[tuple[str, ...], tuple[Path, ...]]] = {
    "actor_critic": ((), ()),
    "bert": ((), (ROOT / "LICENSE",)),
    "detector": (("--scenes", "1"), ()),
    "diffusion": ((), ()),
    "gpt": (("--letters", "2"), (ROOT / "LICENSE",)),
    "graph_digits": ((), ()),
    "highlight": (
        # Not a source of Python's own library, which differs between versions of Python.
        ("--source", str(TESTS / "parity" / "oracle.py")),
        (TESTS / "parity" / "oracle.py",),
    ),
    "lora": (("--base-steps", "2"), (EXAMPLES / "gpt.py", ROOT / "LICENSE")),
}


def example_arguments(name: str) -> tuple[str, ...]:
    """Return the arguments of `run_example.py` for an example's losses."""
    return (str(EXAMPLES / f"{name}.py"), "--steps", "20", *PADDLE_EXAMPLES[name][0])


CORPUS_TOOLS = (
    "names trace_api forward_graph vlog3 vlog4 vlog5 vlog6 vlog_guard3 vlog_guard5 vlog_grad5 "
    "looking_hooks device_checks double_names double_graph double_subgraph double_md5 double_log "
    "md5 nan_inf0 nan_inf1 nan_inf2 nan_inf3 stacks failures backward_graph backward_graph_plain "
    "grad_graph subgraph subgraph_plain subgraph_end"
).split()
_CORPUS_FILES = (
    DEBUG / "api.yaml",
    DEBUG / "corpus.py",
    DEBUG / "double_grads.py",
    *sorted(DEBUG.glob("*_tools.py")),
    *sorted(STAND_INS.glob("*.py")),
)
QUESTIONS = {
    each.name: each
    for each in [
        *(
            Question(
                f"corpus_{tool}",
                DEBUG / "record.py",
                ("paddle", "{folder}", tool),
                _CORPUS_FILES,
                is_big=True,
            )
            for tool in CORPUS_TOOLS
        ),
        Question("names_of_calls", DEBUG / "named_calls.py"),
        Question(
            "optimizer_steps",
            DEBUG / "optimizer_steps.py",
            ("paddle", "{folder}"),
            (DEBUG / "line_tools.py", *sorted(STAND_INS.glob("*.py"))),
            has_files=False,
        ),
        Question("checksum_steps", DEBUG / "checksum_steps.py", ("paddle", "{folder}")),
        Question("bad_numbers", DEBUG / "bad_numbers.py"),
        Question("error_programs", DEBUG / "error_programs.py"),
        Question(
            "graph_of_the_guide",
            DEBUG / "guide_on_paddle.py",
            (str(ROOT / "examples"), "{folder}"),
            (ROOT / "examples" / "debug_guide_model.py",),
        ),
        Question(
            "guide",
            DEBUG / "guide" / "run.py",
            ("paddle", "{folder}"),
            (*sorted((DEBUG / "guide" / "programs").glob("*.py")), *sorted(STAND_INS.glob("*.py"))),
            is_big=True,
        ),
        *(
            Question(f"program_{path.stem}", path, (), has_files=False)
            for path in sorted(PROGRAMS.glob("*.py"))
        ),
        *(
            Question(
                f"example_{name}",
                EXAMPLE_RUNNER,
                example_arguments(name),
                (EXAMPLES / f"{name}.py", *others),
                has_files=False,
            )
            for name, (_, others) in PADDLE_EXAMPLES.items()
        ),
        Question("saved_files", TESTS / "support" / "paddle_saves.py", ("{folder}",)),
    ]
}


def is_live() -> bool:
    """Return whether tests run real Paddle instead of reading its records."""
    return os.environ.get("JAXEAGER_PADDLE") == "live"


@functools.cache
def paddle_says(name: str) -> dict[str, Any]:
    """Return the answer to a question: its "stdout" and "stderr", and "files" by path.

    A file is text, or bytes if it is not text.
    """
    question = QUESTIONS[name]
    if is_live():
        return ask(needed_paddle(), question)
    return lookup(question.file, name, question.key).gives


def write_files(answer: dict[str, Any], folder: Path) -> None:
    """Write the files of an answer into a folder."""
    for path, content in answer["files"].items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())


def ask(python: str, question: Question) -> dict[str, Any]:
    """Return real Paddle's answer, without the paths of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [each.format(folder=folder) for each in question.arguments]
        done = subprocess.run(
            [python, "-W", "ignore", str(question.script), *arguments],
            env=environment("paddle"),
            cwd=folder,
            capture_output=True,
            timeout=LIMIT_S,
        )
        said = done.stderr.decode(errors="replace")
        if done.returncode:
            raise RuntimeError(f"{question.name} ended with {done.returncode}: {said[-2000:]}")
        places = {folder: "/out", str(ROOT): "/repo", _home_of(python): "/python"}
        clean = functools.partial(_without, places)
        files = {
            path.relative_to(folder).as_posix(): clean(path.read_bytes())
            for path in sorted(Path(folder).rglob("*"))
            if question.has_files and path.is_file()
        }
        return {"stdout": clean(done.stdout), "stderr": clean(said.encode()), "files": files}


def environment(library: str) -> dict[str, str]:
    """Return the environment in which a script finds this repository, and Paddle its stand-ins."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FLAGS_", "GLOG_"))}
    paths = [ROOT, STAND_INS] if library == "paddle" else [ROOT]
    return kept | {"PYTHONPATH": os.pathsep.join(map(str, paths))}


def _home_of(python: str) -> str:
    """Return the folder of an environment, which contains its packages."""
    return str(Path(python).parents[1]) if os.sep in python else sys.prefix


def _without(places: dict[str, str], data: bytes) -> Any:
    """Return data as text without paths of this machine; as bytes if it is not text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    for place, name in places.items():
        text = text.replace(place, name)
    return re.sub(r"/[^\s\"'(),:]*/lib/python3\.\d+(?=/)", "/python/lib/python3", text)
