"""Schedulers to run under jaxeager and under real Paddle: name to (make, steps).

`python lr_recipes.py` under an interpreter that has Paddle prints recorded_lr.json.
"""

RECIPES = {
    "noam": (lambda lr: lr.NoamDecay(d_model=10, warmup_steps=5, learning_rate=0.7), 12),
    "piecewise": (lambda lr: lr.PiecewiseDecay([3, 6], [0.1, 0.05, 0.01]), 9),
    "natural_exp": (lambda lr: lr.NaturalExpDecay(0.5, gamma=0.1), 8),
    "inverse_time": (lambda lr: lr.InverseTimeDecay(0.5, gamma=0.1), 8),
    "polynomial": (lambda lr: lr.PolynomialDecay(0.5, 5, end_lr=0.01, power=2.0), 9),
    "polynomial_cycle": (lambda lr: lr.PolynomialDecay(0.5, 3, cycle=True), 11),
    "exponential": (lambda lr: lr.ExponentialDecay(0.5, gamma=0.9), 8),
    "multi_step": (lambda lr: lr.MultiStepDecay(0.5, [2, 5], gamma=0.3), 9),
    "step": (lambda lr: lr.StepDecay(0.5, step_size=3, gamma=0.3), 9),
    "lambda": (lambda lr: lr.LambdaDecay(0.5, lambda e: 0.95**e), 8),
    "multiplicative": (lambda lr: lr.MultiplicativeDecay(0.5, lambda e: 1.0 - 0.05 * e), 8),
    "cosine": (lambda lr: lr.CosineAnnealingDecay(0.5, T_max=4, eta_min=0.02), 15),
    "warm_restarts": (lambda lr: lr.CosineAnnealingWarmRestarts(0.5, T_0=3, T_mult=2), 15),
    "one_cycle": (lambda lr: lr.OneCycleLR(1.0, total_steps=10), 10),
    "one_cycle_linear": (
        lambda lr: lr.OneCycleLR(
            1.0, 12, divide_factor=5.0, end_learning_rate=0.001, anneal_strategy="linear"
        ),
        12,
    ),
    "one_cycle_three": (lambda lr: lr.OneCycleLR(1.0, 15, phase_pct=0.4, three_phase=True), 15),
    "cyclic": (lambda lr: lr.CyclicLR(0.1, 0.5, step_size_up=3, step_size_down=2), 12),
    "cyclic_2": (lambda lr: lr.CyclicLR(0.1, 0.5, step_size_up=2, mode="triangular2"), 12),
    "cyclic_exp": (lambda lr: lr.CyclicLR(0.1, 0.5, 2, mode="exp_range", exp_gamma=0.9), 12),
    "cyclic_own": (
        lambda lr: lr.CyclicLR(0.1, 0.5, 2, scale_fn=lambda n: 1 / n, scale_mode="cycle"),
        12,
    ),
    "linear": (lambda lr: lr.LinearLR(0.5, total_steps=5, start_factor=0.25), 9),
    "warmup": (lambda lr: lr.LinearWarmup(0.5, 4, start_lr=0.1, end_lr=0.4), 8),
    "warmup_then": (
        lambda lr: lr.LinearWarmup(lr.ExponentialDecay(0.5, 0.5), 3, start_lr=0.0, end_lr=0.5),
        9,
    ),
}

# Epochs to jump to, for schedulers that a resumed run may step by number.
JUMPS = (0, 7, 2, 3)

# Metrics for ReduceOnPlateau, and its arguments.
METRICS = [1.0, 0.9, 0.95, 0.93, 0.92, 0.91, 0.5, 0.52, 0.51, 0.55, 0.6, 0.7, 0.8, 0.9]
PLATEAUS = {
    "min_rel": {"patience": 2, "factor": 0.5},
    "min_abs": {"patience": 1, "factor": 0.3, "threshold": 0.1, "threshold_mode": "abs"},
    "max_rel": {"mode": "max", "patience": 1, "cooldown": 2},
    "max_abs": {"mode": "max", "patience": 1, "threshold_mode": "abs", "min_lr": 0.2},
}


def sequences(lr) -> dict:
    """Return the rates of every recipe under a module of schedulers."""
    found = {}
    for name, (make, steps) in RECIPES.items():
        scheduler = make(lr)
        rates = [scheduler()]
        for _ in range(steps):
            scheduler.step()
            rates.append(scheduler())
        found[name] = rates
        if not name.startswith(("one_cycle", "linear")):  # those two depend on the step before
            jumped = make(lr)
            found[f"{name} jumps"] = []
            for epoch in JUMPS:
                jumped.step(epoch)
                found[f"{name} jumps"].append(jumped())
    for name, arguments in PLATEAUS.items():
        scheduler = lr.ReduceOnPlateau(0.5, **arguments)
        rates = found[f"plateau {name}"] = []
        for metric in METRICS:
            scheduler.step(metric)
            rates.append(scheduler())
    return found


if __name__ == "__main__":
    import json

    import paddle

    print(json.dumps({"paddle": paddle.__version__, "rates": sequences(paddle.optimizer.lr)}))
