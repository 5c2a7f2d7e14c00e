"""Training steps in lazy mode against eager ones, Paddle's and one jitted step in plain JAX.

Then steps marked with ``to_static``: the default, where Python runs on every call, against the same
step as a whole graph.
"""

from . import peers
from .models import TITLES_WITH_LENET
from .timing import Row, compare, interleave

PART = "lazy mode"
TARGETS = {"eager": 1, "paddle": 0.6, "jax": 1.3}
OF_SMALL = {"jax": 3}  # an MLP's step is mostly Python time
MARKED = {"gpt": 1.1, "resnet18": 1.1, "lenet": 1.1, "mlp": 2}


def measure(repeats: int, names: tuple[str, ...] = tuple(TITLES_WITH_LENET)) -> list[Row]:
    """Return a row for each model and each step it is compared with."""
    running, missing = peers.start(["jaxeager", "paddle", "jax"])
    rows = []
    try:
        for name in names:
            rows += _steps_of(name, running, repeats)
        rows += [_marked_of(name, running["jaxeager"], repeats) for name in MARKED if name in names]
    finally:
        for peer in running.values():
            peer.close()
    return rows + [Row(PART, "the same", peers.TITLES[n], note=why) for n, why in missing.items()]


def _steps_of(name: str, running: dict, repeats: int) -> list[Row]:
    """Return the rows of one model."""
    ours = running["jaxeager"]

    def ask(library: str) -> float | None:
        if library == "lazy":
            return ours.ask("run_model", name=name, mode="lazy")["seconds"]
        peer = ours if library == "eager" else running[library]
        return peer.ask("run_model", name=name)["seconds"]

    others = ["eager", *[library for library in running if library != "jaxeager"]]
    able = [library for library in ["lazy", *others] if ask(library) is not None]
    contenders = {library: lambda library=library: ask(library) for library in able}
    took = interleave(f"{TITLES_WITH_LENET[name]}, lazy", contenders, repeats)
    targets = TARGETS | (OF_SMALL if name == "mlp" else {})
    return [
        compare(
            PART,
            f"step of {TITLES_WITH_LENET[name]}, lazy",
            "the same, eager" if library == "eager" else running[library].title,
            took["lazy"],
            took[library],
            target=targets[library],
        )
        for library in able
        if library != "lazy"
    ]


def _marked_of(name: str, peer, repeats: int) -> Row:
    """Return the row of a marked step."""
    contenders = {
        what: lambda whole=whole: peer.ask("run_static", name=name, full_graph=whole)["seconds"]
        for what, whole in (("marked", False), ("whole graph", True))
    }
    took = interleave(f"{TITLES_WITH_LENET[name]}, to_static", contenders, repeats)
    what, against = f"step of {TITLES_WITH_LENET[name]}, to_static", "the same, full_graph=True"
    return compare(PART, what, against, took["marked"], took["whole graph"], target=MARKED[name])
