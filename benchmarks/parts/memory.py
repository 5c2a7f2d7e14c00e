"""The peak memory of training, against Paddle and PyTorch.

The system counts it, in a separate process for each: the largest amount that a training step adds
to the resident memory before it (Linux: VmHWM, reset through /proc/self/clear_refs), and the live
memory between steps. For that a model is trained, freed and created again, so that code, kernels
and the libraries' own memory are below the baseline; for jaxeager it is counted array by array,
because a compiler's memory is freed late. The peak includes weights, moments, gradients,
activations, the workspace of kernels, and the memory that the allocator holds between blocks in
use. Batches are large enough for activations to be most of it. The note states the share of
jaxeager's arrays: the most that were alive after an op or a node.
"""

import ctypes
import gc
import sys
from pathlib import Path

from . import peers
from .models import paddle_model, torch_model
from .timing import Row, compare, say

PART = "memory"
MODELS = {
    "lenet": ("LeNet, 2048 images of 28x28", 2048),
    "resnet18": ("ResNet-18, 32 images of 3x64x64", 32),
    "gpt": ("GPT, 4 layers of 128, 128 texts of 32", 128),
}
TARGETS = {"torch": 1}
RESET = Path("/proc/self/clear_refs")
WARM = 4  # steps: lazy mode runs the first ones kernel by kernel
TAKES = 4


def measure() -> list[Row]:
    """Return a row for each model and library."""
    if not RESET.exists():
        return [Row(PART, "the peak of training", "", note="only Linux counts it")]
    rows = []
    for name, (title, size) in MODELS.items():
        taken, missing = {}, {}
        for library in ("jaxeager", "paddle", "torch"):
            try:
                if library == "jaxeager":
                    once(library, name, size)  # compiles, and frees its memory late
                taken[library] = once(library, name, size)
            except peers.PeerMissing as reason:
                missing[library] = str(reason)
        rows += _rows_of(title, taken, missing)
    return rows


def _rows_of(title: str, taken: dict, missing: dict) -> list[Row]:
    """Return the rows of one model."""
    what, ours = f"peak of training {title}", taken.pop("jaxeager")
    say(f"{title}, MiB: {ours}, {taken}")
    rows = []
    for library, other in taken.items():
        between = f"between steps {ours['between']:.0f} and {other['between']:.0f} MiB"
        rows.append(
            compare(
                PART,
                what,
                peers.TITLES[library],
                ours["peaks"],
                other["peaks"],
                unit="MiB",
                target=TARGETS.get(library),
                note=f"arrays {ours['arrays']:.0f} MiB; {between}",
            )
        )
    return rows + [Row(PART, what, peers.TITLES[n], note=why) for n, why in missing.items()]


def once(library: str, name: str, size: int) -> dict:
    """Return the answer of a new process."""
    return peers.answer_of(library, "within", where="memory.peak_of", name=name, size=size)


# ---- in the process of a library


def peak_of(library, name: str, size: int) -> dict:
    """Return the memory of a model's training, in MiB: at most, and between two steps."""
    make = torch_model if library.__name__ == "torch" else paddle_model
    step = make(library, name, size)
    step()
    step()
    _settle()
    del step
    _settle()
    base = _resident("VmRSS")
    step = make(library, name, size)
    for _ in range(WARM):
        step()
    grown = []
    for _ in range(TAKES):
        before = _settle()
        RESET.write_text("5")
        step()
        _settle()
        grown.append(_resident("VmHWM") - before)
    between = _live_arrays() if "jax" in sys.modules else before - base
    peaks = [between + each for each in grown]
    return {"peaks": peaks, "between": between, "arrays": _most_arrays(library, step)}


def _live_arrays() -> float:
    """Return the MiB of JAX's arrays; count those that share memory once."""
    arrays = sys.modules["jax"].live_arrays()
    return sum({each.unsafe_buffer_pointer(): each.nbytes for each in arrays}.values()) / 2**20


def _most_arrays(library, step) -> float | None:
    """Return the peak MiB of live arrays in a step, if the library reports it."""
    if library.__name__ != "jaxeager":
        return None
    from jaxeager.debug.memory import meter

    try:
        library.device.reset_max_memory_allocated()
        step()
        return library.device.max_memory_allocated() / 2**20
    finally:
        meter.unwatch()


def _settle() -> float:
    """Wait for running work, return free memory to the system, and return the resident memory."""
    if "jax" in sys.modules:
        for array in sys.modules["jax"].live_arrays():
            array.block_until_ready()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return _resident("VmRSS")


def _resident(which: str) -> float:
    """Return a number of /proc/self/status in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(which + ":"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/self/status has no {which}")
