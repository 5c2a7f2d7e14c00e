"""Optimizers whose parameters or numbers change after they were created, and empty ones."""

from ..probe import array, error_of
from ..registry import differs, program

GRADIENTS = [[1.0, -2.0], [-0.5, -1.0], [0.5, 0.5], [0.5, 0.25]]


def weight(paddle):
    ones = paddle.nn.initializer.Constant(1.0)
    return paddle.create_parameter([2], "float32", default_initializer=ones)


def steps(paddle, make, attribute, value, at):
    """Return the parameter after each of four steps; the attribute is set before step `at`."""
    w = weight(paddle)
    optimizer = make([w])
    seen = []
    for number, gradient in enumerate(GRADIENTS):
        if number == at:
            setattr(optimizer, attribute, value)
        w.grad = paddle.to_tensor(gradient)
        optimizer.step()
        seen.append(array(w))
    return seen


@program
def numbers_of_rprop_set_later(paddle, np):
    def rprop(parameters):
        return paddle.optimizer.Rprop(0.1, (0.01, 1.0), parameters)

    def tensor(pair):
        return paddle.to_tensor(pair)

    new = rprop([weight(paddle)])
    return {
        "new": [list(new._etas[0]), list(new._learning_rate_range[0]), new._initial_learning_rate],
        "factors": [steps(paddle, rprop, "_etas", tensor([0.1, 3.0]), at) for at in (0, 1, 2)],
        "factors before the first step": steps(paddle, rprop, "_etas", (0.1, 3.0), 0),
        "range": [
            steps(paddle, rprop, "_learning_rate_range", tensor([0.099, 0.11]), at)
            for at in (0, 1, 2)
        ],
        "first rate": [steps(paddle, rprop, "_initial_learning_rate", 0.2, at) for at in (0, 1)],
    }


@program
def batches_of_asgd_set_before_the_first_step(paddle, np):
    def asgd(parameters):
        return paddle.optimizer.ASGD(0.1, batch_num=2, parameters=parameters)

    return asgd([weight(paddle)])._n, [steps(paddle, asgd, "_n", n, 0) for n in (1, 2, 3)]


@differs(
    "Paddle's CPU ignores rescale_grad",
    right=[0.9, 0.85],
    paddle_gives=[0.9, 0.8],
)
def rescaling_of_momentum_set_later(paddle, np):
    """The gradients are ones; the second one counts half."""
    w = weight(paddle)
    momentum = paddle.optimizer.Momentum(0.1, momentum=0.0, parameters=[w])
    seen = []
    for factor in (1.0, 0.5):
        momentum._rescale_grad = factor
        w.grad = paddle.ones([2])
        momentum.step()
        seen.append(round(w[0].item(), 4))
    return seen


@program
def an_empty_group_of_parameters(paddle, np):
    """Such as the parameters without decay of a model that has none."""
    seen = {}
    for kind in ("SGD", "AdamW", "Momentum", "Lamb", "Adam", "ASGD"):
        w = weight(paddle)
        groups = [{"params": [w]}, {"params": [], "weight_decay": 0.0}]
        optimizer = getattr(paddle.optimizer, kind)(0.1, parameters=groups)
        w.grad = paddle.to_tensor([1.0, 2.0])
        optimizer.step()
        optimizer.clear_grad()
        seen[kind] = array(w)
    return seen


@program
def an_optimizer_without_parameters(paddle, np):
    sgd = paddle.optimizer.SGD(0.1, parameters=[])
    adam = paddle.optimizer.Adam(0.1, parameters=iter([]))
    loss = paddle.to_tensor([1.0], stop_gradient=False) * 2
    adam.set_lr(0.2)
    adam.set_state_dict({})
    return {
        "minimize": [list(found) for found in sgd.minimize(loss)],
        "rate": adam.get_lr(),
        "state": len(adam.state_dict()),
        "step": error_of(sgd.step),
        "scaled step": error_of(lambda: paddle.amp.GradScaler(enable=False).step(sgd)),
    }


@program
def parameters_listed_later(paddle, np):
    """A list of parameters that grows, shrinks, or is replaced counts from the next step on."""
    first, second, third = weight(paddle), weight(paddle), weight(paddle)
    adam = paddle.optimizer.Adam(0.1, parameters=[])
    seen = []

    def step():
        for each in (first, second, third):
            each.grad = paddle.to_tensor([1.0, 2.0])
        adam.step()
        seen.append([array(each) for each in (first, second, third)])

    for change in (
        lambda: adam._parameter_list.append(first),
        lambda: adam._parameter_list.extend([second, third]),
        lambda: adam._parameter_list.remove(first),
        lambda: setattr(adam, "_parameter_list", [first]),
    ):
        change()
        step()
    pairs = adam.minimize((first * second).sum())[1]
    adam.clear_grad()
    return {
        "steps": seen,
        "pairs": len(pairs),
        "grads": [array(first.grad), array(second.grad)],
        "state": sorted(tensor.shape[0] for tensor in adam.state_dict().values()),
    }
