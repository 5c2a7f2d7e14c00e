"""jaxeager, Paddle and PyTorch in turn, each in its own process: the chain and the LeNet step."""

from . import peers
from .programs import LENGTH
from .timing import Row, compare, interleave, say

CHAINS = 20
STEPS = 5
LAZY_TARGETS = {"paddle": 0.8, "torch": 1.1}
STEP_TARGETS = {"paddle": 0.9, "torch": 1}


def measure_chain(repeats: int) -> list[Row]:
    """Return one row per library for the chain of multiplications."""
    what = f"{LENGTH} multiplications, forward and backward"
    running, missing = peers.start(["jaxeager", "paddle", "torch"])
    try:
        contenders = {
            name: lambda p=peer: p.ask("run_chain", chains=CHAINS)["seconds"]
            for name, peer in running.items()
        }
        ours = running["jaxeager"]
        contenders["lazy"] = lambda: ours.ask("run_chain", chains=CHAINS, mode="lazy")["seconds"]
        took = interleave(f"chain of {LENGTH}, own processes", contenders, repeats)
        rows = _rows("chain", what, took, running, missing, {})
        took["jaxeager"] = took["lazy"]
        return rows + _rows("chain", f"{what} (lazy)", took, running, {}, LAZY_TARGETS)
    finally:
        _close(running)


def measure_lenet(repeats: int) -> list[Row]:
    """Return one row per library for a training step, with the largest difference of the losses."""
    what = "LeNet training step, batch 64, 28x28, Adam"
    running, missing = peers.start(["jaxeager", "paddle", "torch", "jax"])
    losses = {}

    def stepper(name, peer):
        def run():
            answer = peer.ask("run_steps", steps=STEPS)
            losses.setdefault(name, []).append(answer["loss"])
            return answer["seconds"]

        return run

    try:
        took = interleave(
            "LeNet step", {name: stepper(name, peer) for name, peer in running.items()}, repeats
        )
        rows = _rows("training step", what, took, running, missing, STEP_TARGETS)
    finally:
        _close(running)
    for row, name in zip(rows, [*(n for n in running if n != "jaxeager"), *missing], strict=True):
        if name in losses:
            apart = max(abs(a - b) for a, b in zip(losses["jaxeager"], losses[name], strict=True))
            steps = STEPS * len(losses[name])
            row.note = f"losses over {steps} steps at most {apart:.1e} apart"
    return rows


def count_compilations() -> list[Row]:
    """Return the row of the number of programs compiled after the second step, which must be 0."""
    steps = 10
    running, _ = peers.start(["jaxeager"])
    try:
        counts = running["jaxeager"].ask("count_compilations", steps=steps)
    finally:
        _close(running)
    say(f"compilations by step: {counts['compiled']}, traces by step: {counts['traced']}")
    later = sum(counts["compiled"][2:])
    before = ", ".join(map(str, counts["compiled"][:2]))
    traced = sum(counts["traced"][2:])
    return [
        Row(
            "compilations",
            f"LeNet training steps 3 to {steps}",
            "none",
            ratio=later,
            target=0,
            note=f"compiled {later}, traced {traced}; compiled in steps 1 and 2: {before}",
        )
    ]


def _rows(part, what, took, running, missing, targets) -> list[Row]:
    rows = []
    for name, peer in running.items():
        if name != "jaxeager":
            target = targets.get(name)
            ours, theirs = took["jaxeager"], took[name]
            rows.append(compare(part, what, peer.title, ours, theirs, target=target))
    absent = [Row(part, what, peers.TITLES[name], note=why) for name, why in missing.items()]
    return rows + absent


def _close(running) -> None:
    for peer in running.values():
        peer.close()
