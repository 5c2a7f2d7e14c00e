"""Files of optimizers: training goes on from what the other library saved."""

from ..registry import exchange

MAKERS = {
    "SGD": {},
    "Momentum": {"momentum": 0.8},
    "Adam": {"amsgrad": True},
    "AdamW": {"weight_decay": 0.1},
    "NAdam": {},
    "RAdam": {},
    "Adamax": {},
    "Adagrad": {"initial_accumulator_value": 0.25},
    "Adadelta": {},
    "RMSProp": {"centered": True, "momentum": 0.5},
    "Rprop": {},
    "ASGD": {"batch_num": 3},
    "Lamb": {},
}


def _network(paddle, np):
    """Returns two layers whose parameters have fixed names and values."""
    r = np.random.default_rng(83)
    made = []
    for k, shape in enumerate([(3, 4), (4,), (4, 1)]):
        values = r.normal(size=shape).astype("float32")
        made.append(
            paddle.create_parameter(
                list(shape),
                "float32",
                default_initializer=paddle.nn.initializer.Assign(values),
            )
        )
        made[-1].name = f"file_weight_{k}"  # a name given when it is made must be new
    return made


def _optimizer(paddle, name, parameters):
    rate = 0.02
    if name != "Rprop":
        rate = paddle.optimizer.lr.ExponentialDecay(rate, gamma=0.9)
    return getattr(paddle.optimizer, name)(
        learning_rate=rate, parameters=parameters, **MAKERS[name]
    )


def _train(paddle, np, parameters, optimizer, first, last):
    """Returns the losses of some steps, each on its own batch."""
    losses = []
    for k in range(first, last):
        x = np.random.default_rng(900 + k).normal(size=(5, 3)).astype("float32")
        hidden = paddle.tanh(paddle.matmul(paddle.to_tensor(x), parameters[0]) + parameters[1])
        loss = ((paddle.matmul(hidden, parameters[2]) - 0.5) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if not isinstance(optimizer._learning_rate, float):
            optimizer._learning_rate.step()
        losses.append(float(loss))
    return losses


def write_every_optimizer(paddle, np, folder):
    """Trains with each optimizer, and saves parameters and state half way."""
    for name in MAKERS:
        with paddle.utils.unique_name.guard():  # as in a process that is new
            parameters = _network(paddle, np)
            optimizer = _optimizer(paddle, name, parameters)
            _train(paddle, np, parameters, optimizer, 0, 6)
        paddle.save({p.name: p for p in parameters}, str(folder / f"{name}.pdparams"))
        paddle.save(optimizer.state_dict(), str(folder / f"{name}.pdopt"))


@exchange(write_every_optimizer)
def going_on_from_files(paddle, np, folder):
    """Goes on from the files: losses of six more steps, and the parameters."""
    out = {}
    for name in MAKERS:
        with paddle.utils.unique_name.guard():
            parameters = _network(paddle, np)
            optimizer = _optimizer(paddle, name, parameters)
            values = paddle.load(str(folder / f"{name}.pdparams"))
            for parameter in parameters:
                parameter.set_value(values[parameter.name])
            optimizer.set_state_dict(paddle.load(str(folder / f"{name}.pdopt")))
            losses = _train(paddle, np, parameters, optimizer, 6, 12)
        out[name] = [losses, [p.numpy() for p in parameters], optimizer.get_lr()]
    return out
