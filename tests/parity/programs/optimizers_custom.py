"""Optimizers and initializers of the user's own, and what a program reads of the library's."""

from ..registry import program

STEPS = {"rtol": 5e-5, "reason": "a float32 step multiplies in another order in the two"}


def _parameters(paddle, np, count=2):
    r = np.random.default_rng(81)
    made = []
    for k in range(count):
        values = r.normal(size=(3, k + 2)).astype("float32")
        assign = paddle.nn.initializer.Assign(values)
        made.append(
            paddle.create_parameter(list(values.shape), "float32", None, None, False, assign)
        )
    return made


def _train(paddle, optimizer, parameters, steps=4):
    for k in range(steps):
        sum([((p - 0.3 * k) ** 2).sum() for p in parameters]).backward()
        optimizer.step()
        optimizer.clear_grad()
    return [p.numpy() for p in parameters]


def _remembered(optimizer):
    return {
        name: [value.numpy() for value in of_parameters.values()]
        for name, of_parameters in optimizer._accumulators.items()
    }


def _lion(paddle, seen):
    class Lion(paddle.optimizer.Optimizer):
        """Steps by the sign of the running mean, as its authors write it for Paddle."""

        def _create_accumulators(self, block, parameters):
            seen.append(len(parameters))
            for param in parameters:
                if param.name in self._already_create_accumulator:
                    continue
                self._add_accumulator("exp_avg", param, fill_value=0.5)
                self._already_create_accumulator.add(param.name)

        def _append_optimize_op(self, block, param_and_grad):
            param, grad = param_and_grad
            seen.append([paddle.is_grad_enabled(), grad.stop_gradient, list(grad.shape)])
            mean = self._get_accumulator("exp_avg", param)
            rate = self._create_param_lr(param_and_grad)
            update = paddle.sign(mean * 0.9 + grad * 0.1)
            param.set_value(param - rate * update)
            mean.set_value(mean * 0.99 + grad * 0.01)

        def _finish_update(self, block, pairs):
            seen.append(len(pairs))

    return Lion


@program(**STEPS)
def an_optimizer_of_the_users_own(paddle, np):
    """Clipping, weight decay, accumulators, the rate of a parameter, and the state dict."""
    seen = []
    parameters = _parameters(paddle, np)
    parameters[1].optimize_attr["learning_rate"] = 0.5
    optimizer = _lion(paddle, seen)(
        learning_rate=0.1,
        parameters=parameters,
        weight_decay=0.1,
        grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0),
    )
    out = _train(paddle, optimizer, parameters)
    state = optimizer.state_dict()
    names = [name.split("exp_avg")[1] for name in state]
    return [out, seen, _remembered(optimizer), names, [v.numpy() for v in state.values()]]


@program(**STEPS)
def an_optimizer_of_one_line(paddle, np):
    """Nothing to remember; apply_gradients, minimize and a scheduler."""

    class Plain(paddle.optimizer.Optimizer):
        def _append_optimize_op(self, block, param_and_grad):
            param, grad = param_and_grad
            param.set_value(param - self.get_lr() * grad)

    parameters = _parameters(paddle, np)
    rate = paddle.optimizer.lr.StepDecay(0.1, 2)
    optimizer = Plain(rate, parameters=parameters)
    out = [_train(paddle, optimizer, parameters, 1)]
    rate.step()
    rate.step()
    out.append(_train(paddle, optimizer, parameters, 1))
    loss = (parameters[0] ** 2).sum()
    loss.backward()
    optimizer.minimize(loss)
    return [*out, parameters[0].numpy()]


@program(**STEPS)
def a_subclass_that_looks_on(paddle, np):
    """One that calls the update of Adam, or of AdamW, for each parameter."""
    out = []
    for kind in ("Adam", "AdamW", "Momentum", "SGD", "Adagrad"):
        order = []

        class Looks(getattr(paddle.optimizer, kind)):
            def _append_optimize_op(self, block, param_and_grad, order=order):
                order.append(list(param_and_grad[0].shape))
                return super()._append_optimize_op(block, param_and_grad)

        parameters = _parameters(paddle, np)
        decay = {} if kind == "AdamW" else {"weight_decay": 0.1}
        optimizer = Looks(learning_rate=0.05, parameters=parameters, **decay)
        out.append([_train(paddle, optimizer, parameters), order, _remembered(optimizer)])
    return out


@program(**STEPS)
def a_subclass_with_its_own_update(paddle, np):
    """The accumulators of Adam, by the names that Adam has for them, in an update by hand."""

    class Own(paddle.optimizer.Adam):
        def _append_optimize_op(self, block, param_and_grad):
            param, grad = param_and_grad
            moment = self._get_accumulator(self._moment1_acc_str, param)
            power = self._get_accumulator(self._beta1_pow_acc_str, param)
            moment.set_value(self._beta1 * moment + (1 - self._beta1) * grad)
            param.set_value(param - self._create_param_lr(param_and_grad) * moment / (1 - power))
            power.set_value(power * self._beta1)

    parameters = _parameters(paddle, np)
    optimizer = Own(0.05, beta1=0.8, parameters=parameters)
    return [_train(paddle, optimizer, parameters), _remembered(optimizer)]


@program(**STEPS)
def numbers_of_an_optimizer(paddle, np):
    """What is read of one by name, and a beta that is set between two steps."""
    parameters = _parameters(paddle, np)
    adam = paddle.optimizer.Adam(0.05, beta1=0.8, parameters=parameters)
    out = [_train(paddle, adam, parameters, 1), adam._beta1, adam._beta2, adam._epsilon]
    adam._beta1 = 0.5
    out += [_train(paddle, adam, parameters, 1), adam._beta1, _remembered(adam)]
    out.append([adam._lazy_mode, adam._master_weights, adam._moment2_acc_str])
    momentum = paddle.optimizer.Momentum(0.1, 0.8, parameters=parameters, use_nesterov=True)
    out.append([momentum._momentum, momentum._use_nesterov, momentum._velocity_acc_str])
    rmsprop = paddle.optimizer.RMSProp(0.1, parameters=parameters)
    return [*out, rmsprop._rho, rmsprop._epsilon, rmsprop._momentum, rmsprop._centered]


@program(**STEPS)
def numbers_that_are_set_later(paddle, np):
    """Attributes that code which prepares an optimizer sets after it was made."""
    out = []
    for name, attribute, value in (
        ("AdamW", "_weight_decay", 0.9),
        ("Lamb", "_lamb_weight_decay", 0.9),
        ("Lamb", "_exclude_from_weight_decay_fn", lambda parameter: parameter.shape[1] == 2),
        ("Adagrad", "initial_accumulator_value", 1.0),
    ):
        parameters = _parameters(paddle, np)
        optimizer = getattr(paddle.optimizer, name)(learning_rate=0.05, parameters=parameters)
        before = getattr(optimizer, attribute)
        setattr(optimizer, attribute, value)
        out.append([before, _train(paddle, optimizer, parameters, 2)])
    return out


@program(**STEPS)
def a_clip_that_is_set_later(paddle, np):
    """``_grad_clip`` of an optimizer without groups counts; groups have their own."""
    by_norm = paddle.nn.ClipGradByGlobalNorm
    seen = []

    class Halved:
        """What some code puts in the place of a clip: it can be called, and is no clip."""

        def __call__(self, pairs):
            seen.append(len(pairs))
            return [(p, g * 0.5) for p, g in pairs]

    def trained(first, second, in_groups=False):
        parameters = _parameters(paddle, np)
        given = [{"params": parameters}] if in_groups else parameters
        optimizer = paddle.optimizer.SGD(0.1, parameters=given, grad_clip=first)
        optimizer._grad_clip = second
        is_kept = optimizer._grad_clip is second
        return [is_kept, _train(paddle, optimizer, parameters, 2)]

    return [
        trained(None, by_norm(0.5)),
        trained(by_norm(0.5), None),
        trained(by_norm(0.5), Halved()),
        trained(None, by_norm(0.5), True),
        trained(by_norm(0.5), None, True),
        seen,
    ]


@program()
def an_initializer_of_the_users_own(paddle, np):
    """One that writes into the parameter, alone and from one of the library's."""

    class Sevens(paddle.nn.initializer.Initializer):
        def forward(self, var, block=None):
            var.set_value(paddle.full(var.shape, 7.0 + sum(self._compute_fans(var))))

    class Shifted(paddle.nn.initializer.Constant):
        def __init__(self):
            super().__init__(2.0)

        def forward(self, var, block=None):
            super().forward(var, block)
            var.set_value(var + 1.0)

    attr = paddle.ParamAttr(initializer=Sevens())
    layer = paddle.nn.Linear(2, 3, weight_attr=attr, bias_attr=Shifted())
    return [layer.weight.numpy(), layer.bias.numpy()]
