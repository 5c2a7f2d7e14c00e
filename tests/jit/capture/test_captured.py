"""A captured function has the same values, gradients, state and draws as op by op."""

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager import optimizer as optimizers
from jaxeager.distributed.fleet.utils import recompute
from tests.jit.marked import rows
from tests.support.often import some


def plain(function):
    return function


def static(function):
    return paddle.jit.to_static(function, full_graph=True)


def check(make, steps: int = 3, rtol: float = 1e-5) -> None:
    """Compare what ``make(mark)`` returns, a function of the step, marked and unmarked."""
    found = []
    for mark in (plain, static):
        paddle.seed(11)
        step = make(mark)
        found.append([[np.asarray(each) for each in step(number)] for number in range(steps)])
    for wanted, got in zip(*found, strict=True):
        for a, b in zip(wanted, got, strict=True):
            np.testing.assert_allclose(b, a, rtol=rtol, atol=rtol)


def weights(layer: paddle.nn.Layer) -> list:
    return [parameter.numpy() for parameter in layer.parameters()]


def gradients(layer: paddle.nn.Layer) -> list:
    return [each.grad.numpy() for each in layer.parameters() if not each.stop_gradient]


def layer_steps(layer, loss_of=lambda out: (out * out).sum()):
    """Return the maker of a layer whose forward is marked, with the results of a backward."""

    def make(mark):
        paddle.seed(1)
        net = layer()
        forward = mark(lambda x: loss_of(net(x)))

        def step(number):
            net.clear_gradients()
            loss = forward(rows(number))
            loss.backward()
            return [loss, *gradients(net), *[each.numpy() for each in net.buffers()]]

        return step

    return make


OPTIMIZERS = {
    "SGD": lambda p: optimizers.SGD(0.1, p),
    "SGD, clipped": lambda p: optimizers.SGD(0.1, p, grad_clip=paddle.nn.ClipGradByGlobalNorm(0.1)),
    "Momentum": lambda p: optimizers.Momentum(0.1, parameters=p),
    "Adam": lambda p: optimizers.Adam(0.1, parameters=p),
    "AdamW": lambda p: optimizers.AdamW(
        0.1, parameters=p, apply_decay_param_fun=lambda name: "w" in name
    ),
    "Adagrad": lambda p: optimizers.Adagrad(0.1, parameters=p),
    "Adadelta": lambda p: optimizers.Adadelta(0.1, parameters=p),
    "Adamax": lambda p: optimizers.Adamax(0.1, parameters=p),
    "RMSProp": lambda p: optimizers.RMSProp(0.1, parameters=p),
    "Lamb": lambda p: optimizers.Lamb(0.1, parameters=p),
    "NAdam": lambda p: optimizers.NAdam(0.1, parameters=p),
    "RAdam": lambda p: optimizers.RAdam(0.1, parameters=p),
    "Rprop": lambda p: optimizers.Rprop(0.1, parameters=p),
    "ASGD": lambda p: optimizers.ASGD(0.1, batch_num=1, parameters=p),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_whole_training_step(name):
    def make(mark):
        net = paddle.nn.Linear(3, 2)
        optimizer = OPTIMIZERS[name](net.parameters())

        @mark
        def train(x):
            loss = net(x).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            return loss

        return lambda number: [train(rows(number)), *weights(net)]

    check(make)


def test_a_step_is_captured_once_and_follows_its_scheduler():
    marked = []

    def make(mark):
        net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.Dropout(0.3))
        scheduler = optimizers.lr.StepDecay(0.1, 2, 0.1)
        optimizer = optimizers.Adam(scheduler, parameters=net.parameters())

        @mark
        def train(x):
            loss = net(x).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            return loss

        def step(number):
            loss = train(rows(number))
            scheduler.step()
            return [loss, *weights(net)]

        marked.append(train)
        return step

    check(make, steps=6)
    assert len(marked[1].program_cache) == 1


def test_gradients_that_are_added_up_outside():
    def make(mark):
        net = paddle.nn.Linear(3, 2)
        sgd = optimizers.SGD(0.1, net.parameters())

        @mark
        def part(x):
            loss = net(x).square().mean()
            loss.backward()
            return loss

        def step(number):
            losses = [part(rows(10 * number + each)) for each in range(3)]
            added = net.weight.grad.numpy()
            sgd.step()
            sgd.clear_grad()
            return [*losses, added, *weights(net)]

        return step

    check(make)


class Tripled(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensor()
        return grad * x * 3


class Recomputed(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = paddle.nn.Sequential(paddle.nn.Linear(3, 2), paddle.nn.Dropout(0.5))

    def forward(self, x):
        return recompute(self.inner, x)


class Averaged(paddle.nn.Layer):
    """Replaces its buffer by a new tensor at each call."""

    def __init__(self):
        super().__init__()
        self.inner = paddle.nn.Linear(3, 2)
        self.register_buffer("average", paddle.zeros([2]))

    def forward(self, x):
        out = self.inner(x)
        self.average = self.average * 0.5 + out.mean(0).detach()
        return out + self.average


class Tagged(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm = paddle.nn.LSTM(3, 4, 2)

    def forward(self, x):
        return self.lstm(x.unsqueeze(0))[0]


class Hooked(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = paddle.nn.Linear(3, 2)
        self.inner.weight.register_hook(lambda grad: grad * 2)

    def forward(self, x):
        out = self.inner(x)
        out.register_hook(lambda grad: grad * 3)
        return out


class WithPyLayer(paddle.nn.Linear):
    def forward(self, x):
        return Tripled.apply(super().forward(x))


class Detaching(paddle.nn.Linear):
    def forward(self, x):
        return super().forward(x) * self.weight.detach().sum() + self.weight.data.mean()


LAYERS = {
    "batch norm, dropout": lambda: paddle.nn.Sequential(
        paddle.nn.Linear(3, 4), paddle.nn.BatchNorm1D(4), paddle.nn.ReLU(), paddle.nn.Dropout(0.5)
    ),
    "recompute": Recomputed,
    "a buffer that is replaced": Averaged,
    "LSTM": Tagged,
    "hooks": Hooked,
    "PyLayer": lambda: WithPyLayer(3, 2),
    "detach": lambda: Detaching(3, 2),
    "spectral norm": lambda: paddle.nn.utils.spectral_norm(paddle.nn.Linear(3, 2)),
    "weight norm": lambda: paddle.nn.utils.weight_norm(paddle.nn.Linear(3, 2)),
}


@pytest.mark.parametrize("name", some(LAYERS, lambda name, place: not name.endswith(" norm")))
def test_layers(name):
    check(layer_steps(LAYERS[name]))


def test_random_draws_are_those_of_the_ops_one_by_one():
    def make(mark):
        @mark
        def noisy(x):
            out = x + paddle.rand([4, 3]) + paddle.randn([4, 3]) + F.dropout(x, 0.5)
            return out + paddle.randint(0, 5, [4, 3]).astype("float32") + F.gumbel_softmax(x)

        return lambda number: [noisy(rows(number)), paddle.rand([2])]

    check(make)


def test_writes_into_tensors_from_outside():
    def make(mark):
        net = paddle.nn.Linear(3, 2)
        averages = [each.clone().detach() for each in net.parameters()]

        @mark
        def step(x):
            with paddle.no_grad():
                for average, parameter in zip(averages, net.parameters(), strict=True):
                    average.set_value(average * 0.9 + parameter * 0.1)
                net.weight.scale_(0.9)
            x.add_(paddle.ones([4, 3]))
            return net(x)

        def run(number):
            x = rows(number)
            out = step(x)
            return [out, x, x.inplace_version, *averages, *weights(net)]

        return run

    check(make)


def test_a_written_argument_gets_its_history():
    def make(mark):
        @mark
        def doubled(x):
            x.multiply_(paddle.full([4, 3], 2.0))
            return x * 3

        def run(number):
            leaf = rows(number)
            leaf.stop_gradient = False
            x = leaf * 1
            (doubled(x).sum() + (x * x).sum()).backward()
            return [x, leaf.grad]

        return run

    check(make)


def test_views_and_slices_within():
    def make(mark):
        @mark
        def sliced(x):
            y = x * 1
            y[0] = y[1] * 2
            part = y[:, :2]
            part.add_(paddle.ones([2]))
            return y, part, {"sum": [y.sum(), 3], "none": None}

        def run(number):
            x = rows(number)
            x.stop_gradient = False
            y, part, more = sliced(x)
            (y.sum() * 2 + part.sum() + more["sum"][0]).backward()
            assert more["none"] is None
            assert list(more) == ["sum", "none"]
            return [y, part, more["sum"][0], more["sum"][1], x.grad]

        return run

    check(make)


def test_arguments():
    def make(mark):
        @mark
        def combined(x, y, k=2, *, flag=True, more=()):
            total = (x * y + k).sum() if flag else x
            return total + sum(each.sum() for each in more)

        def run(number):
            x = rows(number)
            x.stop_gradient = False
            combined(x, x).backward()
            return [
                x.grad,
                combined(x, y=rows(number + 1), k=3.0),
                combined(x, x, flag=False),
                combined(x, x, more=[rows(1), rows(2)]),
                combined(x, np.ones((4, 3), "float32")),
            ]

        return run

    check(make)


def test_mixed_precision_around_and_within():
    def make(mark):
        net = paddle.nn.Linear(3, 2)
        forward = mark(lambda x: net(x))

        @mark
        def within(x):
            with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
                return net(x)

        def run(number):
            with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
                around = forward(rows(number))
            assert around.dtype == paddle.bfloat16
            assert within(rows(number)).dtype == paddle.bfloat16
            return [
                around.astype("float32"),
                within(rows(number)).astype("float32"),
                forward(rows(number)),
            ]

        return run

    check(make, rtol=1e-2)


def test_a_gradient_penalty():
    def make(mark):
        critic = paddle.nn.Sequential(
            paddle.nn.Linear(3, 4), paddle.nn.Tanh(), paddle.nn.Linear(4, 1)
        )
        sgd = optimizers.SGD(0.1, critic.parameters())

        @mark
        def train(x):
            x = x.detach()
            x.stop_gradient = False
            out = critic(x)
            (slope,) = paddle.grad(out.sum(), [x], create_graph=True)
            loss = out.mean() + ((slope * slope).sum(1) - 1).square().mean()
            loss.backward()
            sgd.step()
            sgd.clear_grad()
            return loss

        return lambda number: [train(rows(number)), *weights(critic)]

    check(make)


def test_a_parameter_that_is_frozen_for_a_while():
    def make(mark):
        net = paddle.nn.Linear(3, 2)
        forward = mark(lambda x: net(x).sum())

        def run(number):
            net.clear_gradients(set_to_zero=False)
            net.weight.stop_gradient = number % 2 == 1
            loss = forward(rows(number))
            loss.backward()
            assert (net.weight.grad is None) is (number % 2 == 1)
            return [loss, net.bias.grad]

        return run

    check(make, steps=4)


def test_a_marked_function_within_another_one():
    def make(mark):
        net = paddle.nn.Linear(3, 2)
        inner = mark(lambda x: net(x) * 2)
        outer = mark(lambda x: inner(x).sum())

        def run(number):
            net.clear_gradients()
            loss = outer(rows(number))
            loss.backward()
            return [loss, inner(rows(number)), *gradients(net)]

        return run

    check(make)


BRANCHES = {
    "cond": lambda net, y, x: paddle.static.nn.cond(
        y.sum() > 0, lambda: y * 2, lambda: net(x) - y.detach()
    ),
    "cond of two": lambda net, y, x: paddle.static.nn.cond(
        y.sum() > 0, lambda: (y * 2, y * 3), lambda: (y - x.mean(), y * y)
    )[1],
    "the branch itself": lambda net, y, x: paddle.static.nn.cond(
        y.sum() > 0, lambda: y, lambda: y.detach() * y
    ),
    "switch_case": lambda net, y, x: paddle.static.nn.switch_case(
        (y.sum() > 0).astype("int32"), [lambda: y * 2, lambda: y * net.weight.sum()]
    ),
    "case": lambda net, y, x: paddle.static.nn.case(
        [(y.sum() > 0, lambda: y * 2), (y.mean() < -1, lambda: y * 5)], lambda: y * y
    ),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_branches_and_their_gradients(name):
    def make(mark):
        paddle.seed(3)
        net = paddle.nn.Linear(3, 2)
        branching = mark(lambda x: BRANCHES[name](net, net(x), x).sum())

        def run(number):
            net.clear_gradients()
            loss = branching(rows(number))
            loss.backward()
            return [loss, *gradients(net)]

        return run

    check(make, steps=6)


def test_a_loop():
    def make(mark):
        net = paddle.nn.Linear(3, 3)

        @mark
        def looped(x):
            with paddle.no_grad():
                return paddle.static.nn.while_loop(
                    lambda i, y: paddle.logical_and(i < 10, y.abs().sum() < 50),
                    lambda i, y: [i + 1, net(y) * 2 + x],
                    [paddle.zeros([], "int64"), x],
                )

        return lambda number: looped(rows(number))

    check(make)


def test_jax_functions():
    def make(mark):
        cube = paddle.autograd.from_jax(lambda a: a**3)
        net = paddle.nn.Linear(3, 2)
        forward = mark(lambda x: cube(net.weight).sum() + cube(x).sum())

        def run(number):
            net.clear_gradients()
            loss = forward(rows(number))
            loss.backward()
            return [loss, net.weight.grad]

        return run

    check(make)
