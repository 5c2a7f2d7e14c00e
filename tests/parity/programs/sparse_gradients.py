"""Gradients of some rows: embedding(sparse=True), what its weight gets, and every optimizer."""

from ..probe import error_of
from ..registry import differs, program

IN_ORDER = ([1, 1, 2], [0, 3], [1, 2], [3], [0, 1, 2])
OUT_OF_ORDER = ([1, 2, 1], [3, 0], [2, 1], [3, 3], [2, 0])


def table(paddle, np, **attributes):
    """A table of four rows."""
    values = ((np.arange(8).reshape(4, 2) * 7) % 5 + 1).astype("float32") / 8
    initializer = paddle.nn.initializer.Assign(values)
    attr = paddle.ParamAttr(initializer=initializer, **attributes)
    return paddle.create_parameter([4, 2], "float32", attr=attr)


def trained(paddle, np, make, batches, is_sparse=True, **attributes):
    """The table after a step per batch of ids."""
    weight = table(paddle, np, **attributes)
    optimizer = make(paddle.optimizer, [weight])
    for ids in batches:
        rows = paddle.nn.functional.embedding(paddle.to_tensor(ids), weight, sparse=is_sparse)
        (rows * rows).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return weight.numpy()


def shown(grad):
    """What a user reads off a gradient."""
    if grad is None:
        return None
    rows = grad.rows() if grad.is_selected_rows() else None
    return [rows, list(grad.shape), grad.numpy(), grad.is_dense()]


def looked_up(paddle, np, weight, ids, **options):
    """Runs backward from the rows of some ids."""
    y = paddle.nn.functional.embedding(paddle.to_tensor(ids), weight, sparse=True, **options)
    y.sum().backward()
    return y


@program
def sparse_embedding_gradient(paddle, np):
    """The gradient has a row per id; a sum has each row once; clearing it leaves None."""
    found = {}
    for name, ids in {"repeated": [1, 2, 1], "two axes": [[1, 2], [0, 1]], "one": 3}.items():
        weight = table(paddle, np)
        looked_up(paddle, np, weight, ids)
        found[name] = shown(weight.grad)
    weight = table(paddle, np)
    looked_up(paddle, np, weight, [2, 1])
    looked_up(paddle, np, weight, [3, 2])
    found["two backwards"] = shown(weight.grad)
    weight.clear_gradient()
    found["cleared"] = shown(weight.grad)
    looked_up(paddle, np, weight, [3])
    found["after"] = shown(weight.grad)
    (weight * weight).sum().backward()
    found["with a dense one"] = shown(weight.grad)
    return found


@program
def sparse_embedding_padding(paddle, np):
    """The padding row reads as zeros and has a gradient all the same."""
    found = []
    for padding in (0, -1):
        weight = table(paddle, np)
        y = looked_up(paddle, np, weight, [0, 1, 0, 3], padding_idx=padding)
        found.append([y.numpy(), shown(weight.grad)])
    return found


@program
def sparse_embedding_hooks(paddle, np):
    """A hook sees the rows, and may scale them; paddle.grad and gradient() give them."""
    weight, seen = table(paddle, np), []
    weight.register_hook(lambda grad: seen.append(shown(grad)))
    weight.register_hook(lambda grad: grad * 2)
    looked_up(paddle, np, weight, [1, 2])
    other = table(paddle, np)
    rows = paddle.nn.functional.embedding(paddle.to_tensor([3, 0, 3]), other, sparse=True)
    (grad,) = paddle.grad(rows.sum(), other)
    values, numbers = weight.gradient()
    return [seen, shown(weight.grad), shown(grad), values, list(numbers)]


@program
def sparse_embedding_cleared(paddle, np):
    """Layer.clear_gradients and Optimizer.clear_grad leave None, and zeros for dense gradients."""
    net = paddle.nn.Sequential(paddle.nn.Embedding(4, 2, sparse=True), paddle.nn.Linear(2, 2))
    found = []
    optimizer = paddle.optimizer.SGD(0.5, parameters=net.parameters())
    for clear in (net[0].clear_gradients, optimizer.clear_grad):
        net(paddle.to_tensor([1, 1])).sum().backward()
        clear()
        found.append(shown(net[0].weight.grad))
    return [found, net[1].bias.grad.numpy()]


@program
def sparse_adam(paddle, np):
    """Adam, lazy and not, plain and AMSGrad: rows that did not come."""
    found = {}
    for lazy in (False, True):
        for amsgrad in (False, True):

            def make(optimizer, weights, lazy=lazy, amsgrad=amsgrad):
                return optimizer.Adam(0.125, parameters=weights, lazy_mode=lazy, amsgrad=amsgrad)

            found[f"lazy {lazy}, amsgrad {amsgrad}"] = trained(paddle, np, make, OUT_OF_ORDER)
    return found


@program
def sparse_adam_state(paddle, np):
    """A group has its own lazy_mode; the state is put back in the middle."""
    weight = table(paddle, np, name="sparse_adam_state_w")
    optimizer = paddle.optimizer.Adam(
        0.125, parameters=[{"params": [weight], "lazy_mode": True, "learning_rate": 0.5}]
    )
    for ids in OUT_OF_ORDER:
        looked_up(paddle, np, weight, ids)
        optimizer.step()
        optimizer.clear_grad()
        if ids == [3, 0]:
            state = {
                name: paddle.to_tensor(v.numpy()) for name, v in optimizer.state_dict().items()
            }
    optimizer.set_state_dict(state)
    looked_up(paddle, np, weight, [1])
    optimizer.step()
    return [weight.numpy(), {name: v.numpy() for name, v in optimizer.state_dict().items()}]


@program
def sparse_adam_clipped(paddle, np):
    """Clipping by norm leaves the gradient one of some rows; a penalty makes it dense."""
    clips = {
        "norm": paddle.nn.ClipGradByNorm(0.3),
        "global": paddle.nn.ClipGradByGlobalNorm(0.3),
    }

    def make(optimizer, weights, clip=None):
        return optimizer.Adam(0.125, parameters=weights, lazy_mode=True, grad_clip=clip)

    found = {
        name: trained(paddle, np, lambda o, w, clip=clip: make(o, w, clip), OUT_OF_ORDER)
        for name, clip in clips.items()
    }
    decay = paddle.regularizer.L2Decay(0.5)
    found["penalty"] = trained(paddle, np, make, OUT_OF_ORDER, regularizer=decay)
    return found


@program
def sparse_adam_penalty(paddle, np):
    """A weight_decay of Adam itself does not go with a gradient of some rows."""
    weight = table(paddle, np)
    adam = paddle.optimizer.Adam(0.125, parameters=[weight], weight_decay=0.5)
    looked_up(paddle, np, weight, [1])
    return [error_of(adam.step), weight.numpy()]


@program
def sparse_like_dense(paddle, np):
    """SGD, Momentum, Adagrad, RMSProp, Lamb and Rprop: rows that did not come have zeros."""
    makers = {
        "sgd": lambda o, w: o.SGD(0.125, parameters=w),
        "sgd, penalty": lambda o, w: o.SGD(0.125, parameters=w, weight_decay=0.5),
        "momentum": lambda o, w: o.Momentum(0.125, parameters=w),
        "nesterov": lambda o, w: o.Momentum(0.125, parameters=w, use_nesterov=True),
        "adagrad": lambda o, w: o.Adagrad(0.125, parameters=w),
        "rmsprop": lambda o, w: o.RMSProp(0.125, parameters=w, centered=True, momentum=0.5),
        "lamb": lambda o, w: o.Lamb(0.125, parameters=w),
        "rprop": lambda o, w: o.Rprop(0.125, parameters=w),
        "adamax, penalty": lambda o, w: o.Adamax(0.125, parameters=w, weight_decay=0.5),
    }
    return {name: trained(paddle, np, make, IN_ORDER) for name, make in makers.items()}


@differs(
    "Momentum looks each row up among sorted ones; Paddle does so where they are not sorted, and "
    "loses the gradients of some.",
    right=[[0.0625, 0.1875], [0.625, 0.25], [0.5, 0.125], [0.1875, 0.3125]],
    paddle_gives=[[0.125, 0.375], [0.625, 0.25], [0.5, 0.125], [0.1875, 0.3125]],
)
def sparse_momentum_out_of_order(paddle, np):
    """One step whose ids are not in order."""

    def make(optimizer, weights):
        return optimizer.Momentum(0.25, parameters=weights)

    return trained(paddle, np, make, [[3, 0]]).tolist()
