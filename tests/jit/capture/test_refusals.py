"""Actions that no program supports: a marked function does them, a whole graph names them."""

import numpy as np
import pytest

import jaxeager as paddle
import jaxeager.nn.functional as F
from jaxeager import nn, optimizer
from tests.jit.marked import rows, same_as_op_by_op, whole


def appends(mark):
    kept = []

    def forward(x):
        kept.append(x * 2)
        return x + 1

    forward = mark(forward)
    for number in range(3):
        yield forward(rows(number))
    yield sum(kept)


def sets_a_variable(mark):
    total = paddle.zeros([3])

    def forward(x):
        nonlocal total
        total = total + x.mean(0)
        return total * 2

    forward = mark(forward)
    for number in range(3):
        yield forward(rows(number))
    yield total


def returns_an_object(mark):
    class Pair:
        def __init__(self, first):
            self.inner = {"first": [first]}

    forward = mark(lambda x: Pair(x * 2))
    yield forward(rows(1)).inner["first"][0]
    yield forward(rows(2)).inner["first"][0]


def yields(mark):
    def forward(x):
        for number in range(2):
            yield x * number

    forward = mark(forward)
    yield from forward(rows(1))
    yield from forward(rows(2))


def fills_a_dict(mark):
    def forward(x, found):
        found["out"] = x * 2
        return x

    forward = mark(forward)
    for number in range(2):
        found = {}
        forward(rows(number), found)
        yield found["out"]


def seeds(mark):
    def forward(x):
        paddle.seed(3)
        return x + paddle.randn([3])

    forward = mark(forward)
    for number in range(2):
        yield forward(rows(number))
        yield paddle.randn([2])


def moves_a_scheduler(mark):
    net = nn.Linear(3, 2)
    scheduler = optimizer.lr.StepDecay(0.5, 1)
    sgd = optimizer.SGD(scheduler, parameters=net.parameters())

    def train(x):
        net(x).sum().backward()
        sgd.step()
        sgd.clear_grad()
        scheduler.step()
        return net.weight * 1

    train = mark(train)
    for number in range(3):
        yield train(rows(number))
        yield scheduler.last_lr


def counts_in_an_optimizer(mark):
    net = nn.Linear(3, 2)
    inner = optimizer.SGD(0.1, parameters=net.parameters())
    ahead = paddle.incubate.LookAhead(inner, alpha=0.5, k=2)
    net(rows(9)).sum().backward()
    ahead.step()  # creates the slow weights

    @mark
    def train(x):
        ahead.clear_grad()
        net(x).sum().backward()
        ahead.step()
        return net.weight * 1

    for number in range(4):
        yield train(rows(number))


def asks_within_try(mark):
    def forward(x):
        try:
            factor = float(x.sum())
        except Exception:
            factor = 0.0
        return x * factor

    forward = mark(forward)
    yield forward(rows(1))
    yield forward(rows(2))


def goes_back_into_the_graph_around_it(mark):
    net = nn.Linear(3, 2)
    sgd = optimizer.SGD(0.1, parameters=net.parameters())

    @mark
    def update(loss):
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        return loss * 1

    for number in range(2):
        yield update(net(rows(number)).sum())
        yield net.weight * 1


def asks_for_a_gradient_around_it(mark):
    net = nn.Linear(3, 2)
    forward = mark(
        lambda loss: paddle.grad(loss + net.weight.sum(), [net.weight], allow_unused=True)
    )
    for number in range(2):
        yield forward(net(rows(number)).sum())[0]


def returns_what_keeps_a_gradient(mark):
    def forward(x):
        y = x * 2
        y.retain_grads()
        (y * y).sum().backward()
        return y

    x = rows(1)
    x.stop_gradient = False
    yield mark(forward)(x).grad


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (appends, r"it keeps .* \(float32\[4, 3\]\) where a program cannot store it"),
        (sets_a_variable, "where a program cannot store it"),
        (returns_an_object, "where a program cannot store it"),
        (yields, "it returns a generator, which runs only when it is iterated"),
        (fills_a_dict, "it changes a list or a dict that it was given"),
        (seeds, "it seeds the random numbers"),
        (moves_a_scheduler, "it moves a scheduler"),
        (counts_in_an_optimizer, "it steps LookAhead, which counts its steps in Python"),
        (asks_within_try, "reads the value of"),
        (goes_back_into_the_graph_around_it, "its backward passes through .*, computed before it"),
        (asks_for_a_gradient_around_it, "its backward passes through .*, computed before it"),
        (returns_what_keeps_a_gradient, "which keeps a gradient"),
    ],
)
def test_an_action_runs_by_default_and_is_refused_in_a_whole_graph(make, message):
    same_as_op_by_op(make)
    with pytest.raises(paddle.errors.UnimplementedError, match=message):
        list(make(whole))


def test_print_shows_the_values(capsys):
    def shows(x):
        y = x * 2
        print(y)
        return y + 1

    marked = paddle.jit.to_static(shows)
    assert marked(paddle.ones([2])).tolist() == [3.0, 3.0]
    assert "[2., 2.]" in capsys.readouterr().out


def test_a_training_step_around_an_if_on_the_loss():
    found = []
    for mark in (lambda function: function, paddle.jit.to_static):
        paddle.seed(2)
        net = nn.Linear(3, 3)
        sgd = optimizer.SGD(0.1, parameters=net.parameters())

        def step(x, net=net, sgd=sgd):
            loss = net(x).square().mean()
            if paddle.isnan(loss):
                return None
            loss.backward()
            sgd.step()
            sgd.clear_grad()
            return loss

        step = mark(step)
        for number in range(3):
            step(rows(number) * (float("nan") if number == 1 else 1.0))
        found.append(net.weight.numpy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)


@pytest.mark.parametrize("break_at", ["nowhere", "unscaled", "end"])
def test_a_scaler_within(break_at):
    found = []
    for mark in (lambda function: function, paddle.jit.to_static):
        paddle.seed(2)
        net = nn.Linear(3, 2)
        adam = optimizer.Adam(0.1, parameters=net.parameters())
        scaler = paddle.amp.GradScaler(init_loss_scaling=8.0, incr_every_n_steps=2)

        def step(x, net=net, adam=adam, scaler=scaler):
            with paddle.amp.auto_cast(dtype="float16"):
                loss = net(x).square().mean()
            scaler.scale(loss).backward()
            scaler.unscale_(adam)
            factor = net.weight.grad.max().item() if break_at == "unscaled" else 1.0
            scaler.step(adam)
            scaler.update()
            adam.clear_grad()
            if break_at == "end":
                factor = loss.item()
            return loss * factor

        marked = mark(step)
        for number in range(4):
            marked(rows(number) * (float("inf") if number == 2 else 1.0))
        found += [net.weight.numpy(), scaler._scale.numpy()]
    np.testing.assert_allclose(found[2], found[0], rtol=1e-3, atol=1e-3)
    assert found[3].tolist() == found[1].tolist()


class Scaled:
    """A user's trainer, with mixed precision."""

    def __init__(self, mark):
        self.net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Linear(4, 2))
        self.rate = optimizer.lr.ExponentialDecay(0.1, 0.9)
        self.adam = optimizer.AdamW(self.rate, parameters=self.net.parameters())
        self.scaler = paddle.amp.GradScaler(init_loss_scaling=4.0)
        self.step = mark(self._step)

    def _step(self, x):
        with paddle.amp.auto_cast(dtype="float16"):
            loss = F.cross_entropy(self.net(x), paddle.to_tensor([0, 1, 0, 1]))
        self.scaler.scale(loss).backward()
        self.scaler.step(self.adam)
        self.scaler.update()
        self.adam.clear_grad()
        return loss


def test_a_trainer_with_a_scaler_is_one_program():
    losses = []
    for mark in (lambda function: function, whole):
        paddle.seed(2)
        trainer = Scaled(mark)
        for number in range(4):
            losses.append(trainer.step(rows(number)).item())
            trainer.rate.step()
    np.testing.assert_allclose(losses[4:], losses[:4], rtol=1e-2)
    assert len(trainer.step.program_cache) <= 2


def test_a_stale_backward_raises_when_it_is_requested():
    net = nn.Linear(3, 2)

    @paddle.jit.to_static(full_graph=True)
    def by_hand(x):
        loss = net(x).square().mean()
        slopes = paddle.grad(loss, net.parameters())
        with paddle.no_grad():
            for parameter, slope in zip(net.parameters(), slopes, strict=True):
                parameter.subtract_(slope * 0.1)
        return loss

    before = net.weight.numpy()
    loss = by_hand(rows(1))
    assert abs(net.weight.numpy() - before).max() > 0
    with pytest.raises(RuntimeError):
        loss.backward()


def test_second_gradients_leave_the_random_stream_alone():
    found = []
    for mark in (lambda function: function, paddle.jit.to_static):
        paddle.seed(2)
        net = mark(nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Dropout(0.5)))
        for number in range(2):
            x = rows(number)
            x.stop_gradient = False
            y = net(x)
            (slope,) = paddle.grad(y.sum(), [x], create_graph=True)
            slope.square().sum().backward()
            found.append((y.numpy(), x.grad.numpy()))
    np.testing.assert_allclose(found[2], found[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found[3], found[1], rtol=1e-5, atol=1e-6)


def test_hooks_on_saved_tensors_see_the_node_alone():
    packed = []
    marked = paddle.jit.to_static(lambda x: F.tanh(x * x).sum(), full_graph=True)
    x = rows(1)
    x.stop_gradient = False
    with paddle.autograd.saved_tensors_hooks(
        lambda tensor: packed.append(1) or tensor.numpy(), paddle.to_tensor
    ):
        loss = marked(x)
    loss.backward()
    assert packed
    np.testing.assert_allclose(x.grad, 2 * x.numpy() * (1 - np.tanh(x.numpy() ** 2) ** 2), 1e-5)
