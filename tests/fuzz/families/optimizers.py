"""Optimizers: groups, decay, clipping, schedules, several steps."""

RULES = {
    "SGD": ("",),
    "Momentum": ("", "momentum=0.5", "use_nesterov=True", "rescale_grad=0.5"),
    "Adam": ("", "beta1=0.5, epsilon=0.1", "amsgrad=True", "lazy_mode=True"),
    "AdamW": ("", "weight_decay=0.3", "amsgrad=True", "lr_ratio=lambda p: 0.5"),
    "Adamax": ("", "beta2=0.5, epsilon=0.1"),
    "Adagrad": ("", "initial_accumulator_value=0.5", "epsilon=0.1"),
    "Adadelta": ("", "rho=0.5", "epsilon=0.1"),
    "RMSProp": ("", "centered=True", "momentum=0.5", "rho=0.5, epsilon=0.1"),
    "Lamb": ("", "lamb_weight_decay=0.1", "exclude_from_weight_decay_fn=lambda p: True"),
    "NAdam": ("", "momentum_decay=0.5"),
    "RAdam": ("", "beta1=0.5, beta2=0.5"),
    "ASGD": ("", "batch_num=2"),
    "Rprop": ("", "learning_rate_range=(0.01, 0.2)", "etas=(0.4, 1.3)"),
}
RATES = (
    "0.1",
    "0.5",
    "paddle.optimizer.lr.StepDecay(0.1, 1, 0.5)",
    "paddle.optimizer.lr.CosineAnnealingDecay(0.1, 4)",
    "paddle.optimizer.lr.LinearWarmup(0.1, 2, 0.0, 0.1)",
    "paddle.optimizer.lr.PiecewiseDecay([1, 2], [0.3, 0.2, 0.1])",
    "paddle.optimizer.lr.NoamDecay(8, 2)",
    "paddle.optimizer.lr.ExponentialDecay(0.1, 0.5)",
    "paddle.optimizer.lr.OneCycleLR(0.1, 4)",
    "paddle.optimizer.lr.PolynomialDecay(0.1, 3)",
)
DECAYS = (
    "0.1",
    "paddle.regularizer.L1Decay(0.1)",
    "paddle.regularizer.L2Decay(0.1)",
    "None",
)
CLIPS = (
    "nn.ClipGradByGlobalNorm(0.5)",
    "nn.ClipGradByNorm(0.5)",
    "nn.ClipGradByValue(0.2)",
    "nn.ClipGradByValue(0.2, -0.1)",
    "None",
)
GROUPS = (
    "[p, q]",
    "[p]",
    "[dict(params=[p]), dict(params=[q], learning_rate=0.5)]",
    "[dict(params=[p], weight_decay=0.2), dict(params=[q])]",
    "[dict(params=[p, q], learning_rate=2.0)]",
)


def program(draw):
    """Adds two parameters, an optimizer over them and some steps."""
    name = draw.choice(sorted(RULES))
    dtype = draw.choice(("float32", "float32", "float32", "float64"))
    for leaf, shape in (("p", [2, 3]), ("q", [3])):
        draw.lines.append(f"{leaf} = paddle.create_parameter({shape}, {dtype!r})")
        draw.lines.append(f"{leaf}.set_value(t({draw.values.randrange(100)}, {shape}, {dtype!r}))")
    rate = draw.choice(RATES) if draw.random.random() < 0.5 else "0.1"
    draw.lines.append(f"r = {rate}")
    arguments = [f"parameters={draw.choice(GROUPS)}", "learning_rate=r", draw.choice(RULES[name])]
    if draw.random.random() < 0.4 and name not in ("Lamb", "Rprop"):
        arguments.append(f"weight_decay={draw.choice(DECAYS)}")
    if draw.random.random() < 0.4:
        arguments.append(f"grad_clip={draw.choice(CLIPS)}")
    if sum("weight_decay=" in each.partition("=")[0] + "=" for each in arguments) > 1:
        arguments.pop()
    draw.lines.append(
        f"o = paddle.optimizer.{name}({', '.join(each for each in arguments if each)})"
    )
    draw.lines.append(f"x = t({draw.values.randrange(100)}, [2, 3], {dtype!r})")
    for _ in range(draw.choice((1, 2, 3))):
        loss = draw.choice(
            ("(p * x + q).square().mean()", "(p * x).sum()", "(q * q * x + p).sum()")
        )
        draw.lines.append(f"{loss}.backward()")
        draw.lines.append(draw.choice(("o.step()", "o.step()", "o.minimize(paddle.zeros([]))")))
        if draw.random.random() < 0.8:
            draw.lines.append(f"o.clear_grad({draw.choice(('', 'True', 'False'))})")
        if rate != "0.1" and rate != "0.5":
            draw.lines.append("r.step()")
    draw.lines.append("rate = o.get_lr()")
    draw.lines.append(
        "state = {str(i) + k.rpartition('.')[2]: v for i, (k, v) in enumerate(o.state_dict().items())}"
    )
    return draw.lines
