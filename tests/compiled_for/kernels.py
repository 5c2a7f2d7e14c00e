"""Compile the kernels of rows for a device that is not there, and write which ones it refuses.

    python -m tests.compiled_for.kernels TARGET FOLDER [ROW ...]

The kernels are those that the first sample of a row calls, forward and backward. The compiler may
end its process or take very long, so the work is done in another process, which appends a line to
FOLDER/log before and after each kernel. When it ends early or is stopped, the next one continues
behind that kernel.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import jax

import jaxeager as paddle
from jaxeager.kernels.lazy import mode
from jaxeager.ops.row import ROWS
from tests.compiled_for.targets import TARGETS
from tests.support import cases

ENDED = "ended the compiler's process"
TOO_LONG = "takes too long to compile"
MOST_SECONDS = 300  # for one kernel


def refused(target: str, folder: Path, rows: list[str]) -> dict[str, str]:
    """Return why kernels do not compile for a target such as "h100", by their names.

    Args:
        target: a key of TARGETS.
        folder: an existing folder; what an earlier run has written there is not done again.
        rows: the names of the rows; all of them if it is empty.
    """
    log = folder / "log"
    log.touch()
    command = [sys.executable, "-m", "tests.compiled_for.kernels", target, str(folder), *rows]
    while _run(command, log, TARGETS[target].environment):
        if not log.read_text().endswith((f"{ENDED}\n", f"{TOO_LONG}\n")):
            raise RuntimeError(f"The child process failed outside of a kernel: see {folder}.")
    return {name: why for name, why in _read(log).items() if why != "compiles"}


def _run(command: list[str], log: Path, environment: dict[str, str]) -> int:
    """Run a child process to its end, or until a kernel takes too long; return its exit status."""
    child = subprocess.Popen([*command, "child"], env=os.environ | environment)
    while child.poll() is None:
        time.sleep(0.2)
        if time.time() - log.stat().st_mtime > MOST_SECONDS:
            child.kill()
            child.wait()
            name, _, said = log.read_text().splitlines()[-1].partition("\t")
            if said == ENDED:
                with log.open("a") as out:
                    out.write(f"{name}\t{TOO_LONG}\n")
    return child.returncode


def _read(log: Path) -> dict[str, str]:
    return dict(line.split("\t", 1) for line in log.read_text().splitlines())


def _compile_all(target: str, folder: Path, rows: list[str]) -> None:
    """Do the work of ``refused`` that is left, in this process."""
    compile_one = TARGETS[target].compiler()
    log = folder / "log"
    done = _read(log)
    with log.open("a") as out:
        for name, rule, structs in kernels_of(rows, TARGETS[target].platform):
            if name in done:
                continue
            out.write(f"{name}\t{ENDED}\n")  # replaced by the next line, if there is one
            out.flush()
            try:
                compile_one(rule, structs)
                said = "compiles"
            except Exception as error:  # of the compiler, or of JAX's rules for the device
                said = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"
            out.write(f"{name}\t{said}\n")
            out.flush()


def kernels_of(names: list[str], platform: str) -> Iterator[tuple[str, Callable, tuple]]:
    """Yield the name, the rule and the operands' structs of each kernel that rows call.

    Rows that run on the host where the platform is used have none.
    """
    called: list[tuple[str, Callable, tuple]] = []
    call = mode.Kernel.__call__

    def noting(kernel, *arrays, **given):
        called.append((kernel.name, kernel.rule, jax.tree.map(_struct_of, arrays)))
        return call(kernel, *arrays, **given)

    mode.install()
    for name in names or list(ROWS):
        row = ROWS[name]
        found = list(cases.cases_of(row))
        case = next(
            (each for each in found if each.dtype == "float32"), found[0] if found else None
        )
        if case is None or platform in row.host_on:
            continue
        given = cases.tensors(cases.inputs(case), stop_gradient=not cases.has_gradient(case))
        called.clear()
        with mock.patch.object(mode.Kernel, "__call__", noting):
            out = row.function(*given, **case.sample.attrs)
            outs = [
                each for each in jax.tree.leaves(out, is_leaf=_is_tensor) if _has_gradient(each)
            ]
            if outs:
                paddle.autograd.backward(outs)
        seen = {}
        for kernel, rule, structs in called:
            if kernel.startswith(row.name):
                seen.setdefault(kernel, (rule, structs))
        for kernel, (rule, structs) in seen.items():
            yield f"{name}: {kernel}", rule, structs


def _struct_of(array):
    return jax.ShapeDtypeStruct(array.shape, array.dtype)


def _is_tensor(value) -> bool:
    return hasattr(value, "_storage")


def _has_gradient(value) -> bool:
    return _is_tensor(value) and not value.stop_gradient


if __name__ == "__main__":
    target, folder, *rows = sys.argv[1:]
    if rows[-1:] == ["child"]:
        _compile_all(target, Path(folder), rows[:-1])
    else:
        print(json.dumps(refused(target, Path(folder), rows), indent=1))
