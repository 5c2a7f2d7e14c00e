"""Functions compiled by ``jit.to_static``: whole steps, forwards and first calls.

A whole marked training step is compared with the same step in plain JAX (plain_jax.py), whose state
is donated. A model's forward, for inference and marked, is compared with Paddle's own
``to_static``, which compiles the whole graph from its AST. The first call of a marked step, in
processor time of a new process with an empty disk cache, is compared with the first call of the
plain one.
"""

import tempfile
from statistics import median

from . import peers
from .calls import CACHE, environment
from .models import TITLES_WITH_LENET
from .timing import Row, compare, interleave

PART = "jit.to_static"
STEPS = ("lenet", "resnet18", "gpt", "encoder", "lstm", "mlp")
TARGETED = ("lenet", "resnet18", "gpt")  # an MLP's step is mostly Python time
FORWARDS = ("lenet", "resnet18", "gpt", "encoder", "mlp")
TARGETS = {"step": 1.05, "forward": 1.0, "first": 1.2}


def measure(repeats: int) -> list[Row]:
    """Return the rows of steps and forwards."""
    running, missing = peers.start(["jaxeager", "paddle", "jax"])
    rows = []
    try:
        if "jax" in running:
            rows += [_step_of(name, running, repeats) for name in STEPS]
        if "paddle" in running:
            rows += [_forward_of(name, running, repeats) for name in FORWARDS]
    finally:
        for peer in running.values():
            peer.close()
    return rows + [Row(PART, "the same", peers.TITLES[n], note=why) for n, why in missing.items()]


def _step_of(name: str, running: dict, repeats: int) -> Row:
    took = interleave(
        f"{TITLES_WITH_LENET[name]}, to_static",
        {
            "jaxeager": lambda: running["jaxeager"].ask("run_static", name=name)["seconds"],
            "jax": lambda: running["jax"].ask("run_model", name=name)["seconds"],
        },
        repeats,
    )
    what = f"step of {TITLES_WITH_LENET[name]}, to_static"
    against = peers.TITLES["jax"]
    target = TARGETS["step"] if name in TARGETED else None
    return compare(PART, what, against, took["jaxeager"], took["jax"], target=target)


def _forward_of(name: str, running: dict, repeats: int) -> Row:
    contenders = {
        library: lambda library=library: running[library].ask("run_forward", name=name)["seconds"]
        for library in ("jaxeager", "paddle")
    }
    took = interleave(f"forward of {TITLES_WITH_LENET[name]}, to_static", contenders, repeats)
    what = f"forward of {TITLES_WITH_LENET[name]}, to_static"
    against = f"{running['paddle'].title}, to_static"
    target = TARGETS["forward"]
    return compare(PART, what, against, took["jaxeager"], took["paddle"], target=target)


def measure_first(repeats: int) -> list[Row]:
    """Return a row for each model: the first call of a marked step."""
    rows = []
    for name in ("lenet", "gpt", "resnet18"):
        ours, plain = [], []
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as folder, environment(CACHE, folder):
                ours.append(peers.seconds_of("jaxeager", "first_static", name=name))
                plain.append(peers.seconds_of("jax", "first_step", name=name))
        one, other = median(ours), median(plain)
        rows.append(
            Row(
                PART,
                f"first step of {TITLES_WITH_LENET[name]}, to_static",
                peers.TITLES["jax"],
                one * 1e6,
                other * 1e6,
                one / other,
                target=TARGETS["first"],
                note="processor time, nothing on disk",
            )
        )
    return rows
