"""A GPT that gets a new length of text at every step, against Paddle.

XLA compiles for every shape, Paddle does not, so this is where the two differ most. Each figure is
from separate processes: with nothing compiled, with everything compiled by an earlier process, and
with texts padded to a few lengths, which docs/memory.md recommends.
"""

import tempfile
import time
from statistics import median

import numpy as np

from . import peers
from .calls import CACHE, environment
from .models import batch_of, paddle_training
from .timing import Row, compare, say

PART = "lengths"
NEW = (21, 27, 38, 45, 59, 77)  # prime to each other's kernels: no two occur twice
WARM = 16
BUCKETS, STEPS = 4, 48
TARGETS = {"nothing compiled": 4, "all on disk": 1.5}


def measure(repeats: int) -> list[Row]:
    """Return rows of processor and wall time, for each state of the disk."""
    texts = np.random.default_rng(5).lognormal(3.6, 0.5, STEPS).clip(8, 128).astype(int).tolist()
    try:
        paddles = [once("paddle", lengths=NEW) for _ in range(repeats)]
        paddles_texts = [once("paddle", lengths=texts) for _ in range(repeats)]
    except peers.PeerMissing as reason:
        return [Row(PART, "a step of a new length", "Paddle", note=str(reason))]
    with tempfile.TemporaryDirectory() as folder, environment(CACHE, folder):
        new = {"nothing compiled": [once("jaxeager", lengths=NEW)]}
        new["all on disk"] = [once("jaxeager", lengths=NEW) for _ in range(repeats)]
    with tempfile.TemporaryDirectory() as folder, environment(CACHE, folder):
        padded = {"nothing compiled": [once("jaxeager", lengths=texts, buckets=BUCKETS)]}
        padded["all on disk"] = [
            once("jaxeager", lengths=texts, buckets=BUCKETS) for _ in range(repeats)
        ]
    rows = []
    for state, target in TARGETS.items():
        for clock, title in (("cpu", "processor time"), ("wall", "wall time")):
            ours, other = _by_step(new[state], clock), _by_step(paddles, clock)
            what = f"GPT, a length not met before, {state}, {title}"
            rows.append(compare(PART, what, "Paddle", ours, other, target=target))
            ours, other = (_a_step(runs, clock) for runs in (padded[state], paddles_texts))
            what = f"GPT, {STEPS} steps padded to {BUCKETS} lengths, {state}, {title}"
            note = "a step in the mean; Paddle's texts are not padded"
            times = ours * 1e6, other * 1e6, ours / other
            rows.append(Row(PART, what, "Paddle", *times, target=target, note=note))
    say("lengths: " + ", ".join(f"{row.what} {row.ratio:.2f}" for row in rows))
    return rows


def _by_step(runs: list[dict], clock: str) -> list[float]:
    """Return the seconds of each step, the median over the runs."""
    return [median(each) for each in zip(*(run[clock] for run in runs), strict=True)]


def _a_step(runs: list[dict], clock: str) -> float:
    """Return the mean seconds of a step, the median over the runs."""
    return median(sum(run[clock]) / len(run[clock]) for run in runs)


def once(library: str, **arguments) -> dict:
    """Return the answer of a new process."""
    return peers.answer_of(library, "within", where="lengths.seconds_of", **arguments)


# ---- in the process of a library


def seconds_of(paddle, lengths: list[int], buckets: int | None = None) -> dict:
    """Return the seconds of a step of each length, processor and wall.

    Args:
        paddle: a library with Paddle's names.
        lengths: the length of the texts of each step.
        buckets: the number of lengths they are padded to, which BucketBatchSampler chooses.
    """
    model, train = paddle_training(paddle, "gpt")
    if buckets is not None:
        sampler = paddle.io.BucketBatchSampler(lengths, batch_size=8, max_buckets=buckets)
        lengths = [min(b for b in sampler.boundaries if b >= length) for length in lengths]
    batches = {n: [paddle.to_tensor(a) for a in batch_of("gpt", length=n)] for n in lengths}
    warm = [paddle.to_tensor(array) for array in batch_of("gpt", length=WARM)]
    seconds = {"cpu": [], "wall": []}
    for inputs, labels in (warm, warm, *(batches[length] for length in lengths)):
        cpu, wall = time.process_time(), time.perf_counter()
        float(train(inputs, labels))
        model.head.bias.numpy()  # the step has ended when its weights are computed
        seconds["cpu"].append(time.process_time() - cpu)
        seconds["wall"].append(time.perf_counter() - wall)
    return {clock: series[2:] for clock, series in seconds.items()}
