"""Learning rate schedules: the sequence of rates of each, and their state."""

from ..registry import program


def _sequence(scheduler, steps=12, metrics=None):
    rates = []
    for k in range(steps):
        rates.append(float(scheduler()))
        if metrics is None:
            scheduler.step()
        else:
            scheduler.step(metrics[k])
    return rates


SCHEDULES = {
    "StepDecay": lambda lr: lr.StepDecay(0.5, step_size=3, gamma=0.1),
    "MultiStepDecay": lambda lr: lr.MultiStepDecay(0.5, milestones=[2, 5, 6], gamma=0.5),
    "ExponentialDecay": lambda lr: lr.ExponentialDecay(0.5, gamma=0.9),
    "NaturalExpDecay": lambda lr: lr.NaturalExpDecay(0.5, gamma=0.1),
    "InverseTimeDecay": lambda lr: lr.InverseTimeDecay(0.5, gamma=0.1),
    "PolynomialDecay": lambda lr: lr.PolynomialDecay(0.5, decay_steps=5),
    "PolynomialDecay cycle": lambda lr: lr.PolynomialDecay(
        0.5, decay_steps=5, power=2.0, cycle=True
    ),
    "PiecewiseDecay": lambda lr: lr.PiecewiseDecay([3, 6], [0.3, 0.2, 0.1]),
    "CosineAnnealingDecay": lambda lr: lr.CosineAnnealingDecay(0.5, T_max=5, eta_min=0.01),
    "LambdaDecay": lambda lr: lr.LambdaDecay(0.5, lambda e: 0.95**e),
    "MultiplicativeDecay": lambda lr: lr.MultiplicativeDecay(0.5, lambda e: 0.9),
    "NoamDecay": lambda lr: lr.NoamDecay(d_model=64, warmup_steps=4),
    "LinearWarmup": lambda lr: lr.LinearWarmup(0.5, warmup_steps=4, start_lr=0.0, end_lr=0.5),
    "LinearWarmup of another": lambda lr: lr.LinearWarmup(
        lr.StepDecay(0.5, step_size=2), warmup_steps=3, start_lr=0.1, end_lr=0.5
    ),
    "OneCycleLR": lambda lr: lr.OneCycleLR(max_learning_rate=1.0, total_steps=10),
    "CyclicLR": lambda lr: lr.CyclicLR(0.1, 0.5, step_size_up=3),
    "LinearLR": lambda lr: lr.LinearLR(0.5, total_steps=5),
    "CosineAnnealingWarmRestarts": lambda lr: lr.CosineAnnealingWarmRestarts(0.5, T_0=3, T_mult=2),
}


def _rates_of(paddle, wanted):
    lr = paddle.optimizer.lr
    return {
        name: _sequence(SCHEDULES[name](lr), 10 if name == "OneCycleLR" else 12) for name in wanted
    }


@program
def schedules_that_decay(paddle, np):
    """The decays."""
    wanted = (
        "StepDecay MultiStepDecay ExponentialDecay NaturalExpDecay InverseTimeDecay "
        "PiecewiseDecay LambdaDecay"
    )
    return _rates_of(paddle, wanted.split())


@program
def schedules_that_curve(paddle, np):
    """Polynomial, cosine, warm-up."""
    wanted = [
        "PolynomialDecay",
        "PolynomialDecay cycle",
        "CosineAnnealingDecay",
        "NoamDecay",
        "LinearWarmup",
        "LinearWarmup of another",
    ]
    return _rates_of(paddle, wanted)


@program
def schedules_that_cycle(paddle, np):
    """One cycle, cycles, restarts, linear."""
    return _rates_of(
        paddle,
        "OneCycleLR CyclicLR LinearLR CosineAnnealingWarmRestarts MultiplicativeDecay".split(),
    )


@program
def reducing_on_a_plateau(paddle, np):
    """ReduceOnPlateau follows a metric."""
    metrics = [1.0, 0.9, 0.9, 0.95, 0.91, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8]
    scheduler = paddle.optimizer.lr.ReduceOnPlateau(
        0.5, factor=0.5, patience=2, cooldown=1, min_lr=0.01
    )
    return _sequence(scheduler, 12, metrics)


@program
def state_of_a_schedule(paddle, np):
    """state_dict, set_state_dict, step to a given epoch, last_lr and last_epoch."""
    lr = paddle.optimizer.lr
    one = lr.StepDecay(0.5, step_size=2, gamma=0.1)
    for _ in range(3):
        one.step()
    state = one.state_dict()
    other = lr.StepDecay(0.5, step_size=2, gamma=0.1)
    other.set_state_dict(state)
    seen = [dict(sorted(state.items())), other.last_epoch, float(other.last_lr)]
    other.step()
    seen.append(float(other()))
    other.step(10)
    return [*seen, other.last_epoch, float(other())]


@program
def a_plateau_of_float32_metrics(paddle, np):
    """The margin is subtracted in the metric's precision: 1 - 0.1 is 0.9, and 0.9 is no better."""
    found = {}
    for kind in ("tensor", "array", "number"):
        lr = paddle.optimizer.lr.ReduceOnPlateau(
            0.5, factor=0.5, patience=1, threshold=0.1, threshold_mode="abs"
        )
        rates = []
        for metric in (1.0, 0.9, 0.95, 0.7, 0.6, 0.5):
            number = np.float32(metric) if kind == "number" else metric
            array = np.array([metric], "float32")
            of_kind = {"tensor": paddle.to_tensor(metric), "array": array, "number": number}
            lr.step(of_kind[kind])
            rates.append(lr())
        found[kind] = [rates, float(np.asarray(lr.state_dict()["best"]).item())]
    return found
