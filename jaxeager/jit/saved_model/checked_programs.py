"""Programs from files, which are checked before any of them may run.

Note [Programs from untrusted files]
    A program of StableHLO computes; it cannot open a file or a socket. Two kinds of steps are
    exceptions: a custom call, which calls a function of this process by its name (JAX registers one
    that calls a Python function by its address), and steps that wait for other devices or for the
    host. So a program is read without compilation, and refused if it has any step that a program of
    ``jit.save`` cannot have. The same applies to its derivative.

Note [Programs that crash their reader]
    MLIR's bytecode reader is written in C++ for files from a compiler: malicious bytes can end the
    process. So the bytes of a file are first read by a separate process, within ``_SECONDS``; that
    costs 0.2 to 0.3 s. A program that this process has written, or has tried before, is not tried
    again.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys

import jax
from jax.export import Exported, deserialize
from jax.extend import mlir
from jax.extend.mlir import ir
from jax.extend.mlir.dialects import chlo, sdy, stablehlo

from jaxeager.core.error_lines import named_first_line
from jaxeager.errors import InvalidArgumentError, UnavailableError

_DIALECTS = ("builtin.", "chlo.", "func.", "sdy.", "stablehlo.")
_WAITING = re.compile(
    r"stablehlo\.(all_|collective_|cross-replica|infeed|outfeed|recv|reduce_scatter|send)"
)
# Kernels of linear algebra and of random bits, and steps that JAX itself inserts.
_KNOWN_CALLS = re.compile(
    r"(lapack_\w+|(cu|hip)(solver|blas)_\w+|(cu|hip)_threefry2x32_ffi|(cu|hip)_lu_pivots\w+"
    r"|Sharding|SPMDFullToShardShape|SPMDShardToFullShape|annotate_device_placement"
    r"|Eigh|Qr|ProductOfElementaryHouseholderReflectors|LuDecomposition|ApproxTopK|AllocateBuffer"
    r"|shape_assertion|stablehlo\.dynamic_\w+)"
)


_SECONDS = 60  # for the process that reads a program first
_READER = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, sdy, stablehlo
with ir.Context() as context:
    for dialect in (chlo, sdy, stablehlo):
        dialect.register_dialect(context)
    stablehlo.deserialize_portable_artifact(context, sys.stdin.buffer.read())
"""
_known: set[bytes] = set()  # digests of programs that can be read


def trust(data: bytes) -> None:
    """Note that this process made a program, which need not be tried out."""
    _known.add(hashlib.sha256(data).digest())


def _try_out(program: Exported, file: str) -> None:
    """Read a program in another process first: see Note [Programs that crash their reader]."""
    command = [sys.executable, "-I", "-c", _READER, json.dumps(sys.path)]
    why = ""
    try:
        ran = subprocess.run(
            command, input=program.mlir_module_serialized, capture_output=True, timeout=_SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        why = f"it takes more than {_SECONDS} s to read"
    else:
        if ran.returncode < 0:
            why = f"the process that read it first ended by signal {-ran.returncode}"
    if why:
        raise InvalidArgumentError(
            f"{file} is not a program of paddle.jit.save, or it is damaged: {why}."
        )


def read_program(data: bytes, file: str) -> Exported:
    """Return a program of ``exporting.serialized``: see Note [Programs from untrusted files].

    Raises:
        InvalidArgumentError: when it is damaged, or has steps that no saved program has.
        UnavailableError: when the package flatbuffers is not installed.
    """
    try:
        program = deserialize(bytearray(data))
        parts = [program, program.vjp()] if program.has_vjp() else [program]
        if sys.executable and hashlib.sha256(data).digest() not in _known:
            for part in parts:
                _try_out(part, file)
            trust(data)
        for part in parts:
            _check(part, file)
    except InvalidArgumentError:
        raise
    except ImportError as error:
        raise UnavailableError(
            "JAX reads programs with the flatbuffers package: pip install 'jaxeager[io]'."
        ) from error
    except Exception as error:  # any error of JAX's reader for a damaged file
        raise InvalidArgumentError(
            f"{file} is not a program of paddle.jit.save, or it is damaged: "
            f"{named_first_line(error).rstrip('.')}."
        ) from error
    return program


def _check(program: Exported, file: str) -> None:
    if program.nr_devices != 1 or program.ordered_effects or program.unordered_effects:
        raise InvalidArgumentError(f"{file} is for several devices, or has effects; refused.")
    with ir.Context() as context:
        for dialect in (chlo, sdy, stablehlo):
            dialect.register_dialect(context)
        module = mlir.deserialize_portable_artifact(program.mlir_module_serialized)
        waiting = [module.operation]
        while waiting:
            step = waiting.pop()
            _check_step(step, file)
            for region in step.regions:
                for block in region:
                    waiting.extend([each.operation for each in block])


def _check_step(step, file: str) -> None:
    name = step.name
    if not name.startswith(_DIALECTS) or _WAITING.match(name):
        raise InvalidArgumentError(
            f"{file} has a step {name}, which no saved program has: refused."
        )
    if name == "stablehlo.custom_call":
        target = ir.StringAttr(step.attributes["call_target_name"]).value
        if not _KNOWN_CALLS.fullmatch(target):
            raise InvalidArgumentError(
                f"{file} calls the function {target!r} of this process, which no saved program "
                "does: refused."
            )


def can_run_here(program: Exported) -> bool:
    """Return whether a program has kernels for the platform at hand."""
    return jax.export.default_export_platform() in program.platforms
