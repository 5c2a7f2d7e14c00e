"""Steps of optimizers that are interrupted, and compared with those that are not."""

import numpy as np

import jaxeager as paddle
from jaxeager.kernels.lazy.mode import recorder
from tests.support.interrupts import interrupted_at, places_in

lr = paddle.optimizer.lr
CLIP = paddle.nn.ClipGradByGlobalNorm(0.5)

OPTIMIZERS = {
    "sgd": lambda p: paddle.optimizer.SGD(0.1, p),
    "momentum": lambda p: paddle.optimizer.Momentum(0.1, 0.9, p),
    "adagrad": lambda p: paddle.optimizer.Adagrad(0.1, parameters=p),
    "adadelta": lambda p: paddle.optimizer.Adadelta(0.1, parameters=p),
    "adam": lambda p: paddle.optimizer.Adam(0.1, parameters=p),
    "adam-clip": lambda p: paddle.optimizer.Adam(
        0.1, parameters=p, grad_clip=CLIP, weight_decay=0.1
    ),
    "adamax": lambda p: paddle.optimizer.Adamax(0.1, parameters=p),
    "adamw": lambda p: paddle.optimizer.AdamW(0.1, parameters=p),
    "asgd": lambda p: paddle.optimizer.ASGD(0.1, batch_num=2, parameters=p),
    "lamb": lambda p: paddle.optimizer.Lamb(0.1, parameters=p),
    "nadam": lambda p: paddle.optimizer.NAdam(0.1, parameters=p),
    "radam": lambda p: paddle.optimizer.RAdam(0.1, parameters=p),
    "rmsprop": lambda p: paddle.optimizer.RMSProp(0.1, parameters=p),
    "rprop": lambda p: paddle.optimizer.Rprop(0.1, parameters=p),
    "groups": lambda p: paddle.optimizer.Adam(
        0.1, parameters=[{"params": p[:1]}, {"params": p[1:], "beta1": 0.5}]
    ),
    "scheduled": lambda p: paddle.optimizer.Adam(lr.ExponentialDecay(0.1, 0.9), parameters=p),
    "masters": lambda p: paddle.optimizer.AdamW(0.1, parameters=p, multi_precision=True),
    "lookahead": lambda p: paddle.incubate.LookAhead(
        paddle.optimizer.Adam(0.1, parameters=p), 0.5, 2
    ),
    "average": lambda p: paddle.incubate.ModelAverage(0.5, p, 2, 4),
}


class Run:
    """Parameters with gradients, an optimizer over them, and the readable values of both."""

    def __init__(self, name: str, held: str = "nothing"):
        dtype = "float16" if name == "masters" else "float32"
        flat = paddle.arange(6, dtype=dtype)
        values = [
            flat[i : i + 2] if held == "parts" else paddle.ones([2], dtype) * i for i in (0, 2, 4)
        ]
        self.params = [paddle.nn.Parameter(v, name=f"w{i}") for i, v in enumerate(values)]
        self.held = [flat] if held == "parts" else []
        if held == "detached":
            self.held = [self.params[1].detach(), self.params[1].reshape([2, 1])]
        for index, param in enumerate(self.params):
            param.grad = paddle.to_tensor(np.array([0.5, -1.0]) + index, dtype=dtype)
        self.optimizer = OPTIMIZERS[name](self.params)

    def step(self):
        self.optimizer.step()

    def read(self) -> dict:
        """Return every value by name."""
        found = {f"param {i}": p.numpy() for i, p in enumerate(self.params)}
        found |= {f"held {i}": t.numpy() for i, t in enumerate(self.held)}
        for optimizer in (self.optimizer, getattr(self.optimizer, "inner_optimizer", None)):
            state = {} if optimizer is None else dict(optimizer.state_dict())
            state |= {f"master {k}": v for k, v in state.pop("master_weights", {}).items()}
            state |= state.pop("LR_Scheduler", {})
            found |= {f"{type(optimizer).__name__} {k}": np.array(v) for k, v in state.items()}
        return found


def are_same(one: dict, other: dict) -> bool:
    """Compare the values of both: accumulators may have been created, and not yet updated.

    In lazy mode an interrupt ends a segment at another call, and XLA rounds the last bit
    differently.
    """
    close = np.array_equal if recorder() is None else _are_close
    return all(close(one[name], other[name]) for name in one.keys() & other.keys())


def _are_close(one, other) -> bool:
    return np.allclose(one, other, rtol=1e-6, atol=1e-7)


def check(run, reference, places: list[int], later: int) -> tuple[int, int]:
    """Interrupt steps at the given places; return the numbers before and after the change.

    After each, the readable values are those of an uninterrupted run, before the step or after it,
    and ``later`` whole steps continue as in that run.
    """
    counts = [0, 0]
    for place in places:
        old = reference.read()
        interrupted_at(place, run.step)
        now = run.read()
        is_done = not are_same(now, old)
        if is_done:
            reference.step()
            if not getattr(run.optimizer, "_is_behind", False):  # LookAhead makes up for it
                assert are_same(now, reference.read()), f"half a step is left at place {place}"
        counts[is_done] += 1
        for _ in range(later):
            run.step()
            reference.step()
            assert are_same(run.read(), reference.read()), f"the step after place {place} differs"
    run.step()
    reference.step()
    assert are_same(run.read(), reference.read())
    assert run.read().keys() == reference.read().keys()
    return counts[0], counts[1]


def pair(name: str, steps: int, held: str = "nothing"):
    runs = Run(name, held), Run(name, held)
    for each in runs:
        for _ in range(steps):
            each.step()
    return runs


def places_of(run, count: int) -> list[int]:
    """Return places over the next step, which is run; the last ones are close together."""
    run.read()
    number = places_in(run.step)
    return sorted({*range(0, number, max(1, number // count)), *range(number - 12, number)})
