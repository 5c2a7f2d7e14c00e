"""Training steps with compiled backward, against Paddle's and one jitted step in plain JAX.

The plain JAX step (plain_jax.py) is the cost of a step without any eager part. Its forward,
gradients and optimizer are one executable, while ours are one per call of the forward, one for
every fifty nodes of the backward, and one for the optimizer.
"""

from . import peers
from .models import TITLES
from .timing import Row, compare, interleave

PART = "whole steps"
LENET = "LeNet, 64 images of 28x28"
TARGETS = {"paddle": 0.9, "jax": 1.15}


def measure(repeats: int, names: tuple[str, ...] = (*TITLES, "lenet")) -> list[Row]:
    """Return a row for each model and library."""
    running, missing = peers.start(["jaxeager", "paddle", "jax"])
    rows = []
    try:
        for name in names:
            rows += _rows_of(name, running, repeats)
    finally:
        for peer in running.values():
            peer.close()
    return rows + [Row(PART, "the same", peers.TITLES[n], note=why) for n, why in missing.items()]


def _rows_of(name: str, running: dict, repeats: int) -> list[Row]:
    """Return the rows of one model."""
    title = TITLES.get(name, LENET)

    def ask(library: str) -> float | None:
        mode = {"mode": "compiled"} if library == "jaxeager" else {}
        return running[library].ask("run_model", name=name, **mode)["seconds"]

    able = [library for library in running if ask(library) is not None]
    contenders = {library: lambda library=library: ask(library) for library in able}
    took = interleave(f"{title}, compiled backward", contenders, repeats)
    return [
        compare(
            PART,
            f"step of {title}, compiled backward",
            title_of(running[library]),
            took["jaxeager"],
            took[library],
            target=TARGETS[library],
        )
        for library in able
        if library != "jaxeager"
    ]


def title_of(peer) -> str:
    """Return the name of a library in the table."""
    title = peers.TITLES[peer.library]
    return title if peer.library == "jax" else f"{title} {peer.version}"
