"""Training steps of whole models against Paddle's and PyTorch's, and the first step of a process.

Steps are measured in wall time, with processes in turn. First steps are measured in processor time,
in separate processes: with nothing compiled yet, with everything in the disk cache, and Paddle's.
The yardstick is the time in which plain JAX compiles 20 softmax kernels.
"""

import tempfile
from statistics import median

from . import peers
from .calls import CACHE, environment
from .models import TITLES
from .timing import Row, compare, interleave, say

PART = "training steps"
TARGETS = {"paddle": 0.9}


def measure(repeats: int) -> list[Row]:
    """Return a row for each model and library."""
    running, missing = peers.start(["jaxeager", "paddle", "torch"])
    rows = []
    try:
        for name in TITLES:
            rows += _steps_of(name, running, repeats)
    finally:
        for peer in running.values():
            peer.close()
    return rows + [Row(PART, "the same", peers.TITLES[n], note=why) for n, why in missing.items()]


def _steps_of(name: str, running: dict, repeats: int) -> list[Row]:
    """Return the rows of one model."""
    able = {
        library: peer
        for library, peer in running.items()
        if peer.ask("run_model", name=name)["seconds"] is not None
    }
    took = interleave(
        TITLES[name],
        {
            library: lambda p=peer: p.ask("run_model", name=name)["seconds"]
            for library, peer in able.items()
        },
        repeats,
    )
    return [
        compare(
            PART,
            f"step of {TITLES[name]}",
            peer.title,
            took["jaxeager"],
            took[library],
            target=TARGETS.get(library),
        )
        for library, peer in able.items()
        if library != "jaxeager"
    ]


def measure_first(repeats: int) -> list[Row]:
    """Return two rows for each model: the first step with nothing compiled, and from disk."""
    softmaxes = median(peers.seconds_of("jax", "compile_softmaxes") for _ in range(3))
    say(f"20 softmax kernels of plain JAX: {softmaxes:.2f} s of the processor")
    rows = []
    for name, title in TITLES.items():
        with tempfile.TemporaryDirectory() as folder, environment(CACHE, folder):
            empty = peers.seconds_of("jaxeager", "first_step", name=name)
            filled = median(
                peers.seconds_of("jaxeager", "first_step", name=name) for _ in range(repeats)
            )
        try:
            other = median(
                peers.seconds_of("paddle", "first_step", name=name) for _ in range(repeats)
            )
        except peers.PeerMissing as reason:
            return [*rows, Row(PART, "the first step", "Paddle", note=str(reason))]
        for state, ours in (("nothing compiled", empty), ("all on disk", filled)):
            note = f"processor time; {ours / softmaxes:.2f} of JAX's 20 softmax kernels"
            what = f"first step of {title}, {state}"
            rows.append(_row_of(what, ours, other, note))
    return rows


def _row_of(what: str, ours: float, other: float, note: str) -> Row:
    return Row(PART, what, "Paddle", ours * 1e6, other * 1e6, ours / other, note=note)
