"""What Paddle 3.3.1 gets wrong in its ops: lost gradients, wrong elements, missing checks."""

from ..probe import attempt, error_class, grads, leaf
from ..registry import ANYTHING, CRASHES, differs, program

NAN = float("nan")


def _mask(paddle):
    return paddle.to_tensor([True, False, True])


@differs(
    "Paddle gives a value that was filled in by a mask the gradient 0",
    right=dict.fromkeys(["masked_fill", "masked_fill_", "y[mask] = 0-D", "y[mask] = 1-D"], 4.0),
    paddle_gives=dict.fromkeys(
        ["masked_fill", "masked_fill_", "y[mask] = 0-D", "y[mask] = 1-D"], 0.0
    ),
)
def gradients_of_masked_values(paddle, np):
    """The value gets the sum of the gradient over the places it was put: 1 + 3."""

    def assigned(y, value):
        y[_mask(paddle)] = value
        return y

    functions = {
        "masked_fill": lambda y, v: paddle.masked_fill(y, _mask(paddle), v),
        "masked_fill_": lambda y, v: y.masked_fill_(_mask(paddle), v),
        "y[mask] = 0-D": assigned,
        "y[mask] = 1-D": lambda y, v: assigned(y, v.reshape([1])),
    }
    out = {}
    for text, function in functions.items():
        x, value = leaf(paddle, [1.0, 2.0, 3.0]), leaf(paddle, 5.0)
        function(x * 1.0, value).backward(paddle.to_tensor([1.0, 2.0, 3.0]))
        out[text] = value.grad.item()
    return out


@program
def gradients_of_other_written_values(paddle, np):
    """What both get right: several values by a mask, rows by a mask, where, index_fill."""

    def assigned(mask):
        def run(x, value):
            y = x * 1.0
            y[paddle.to_tensor(mask)] = value
            return y

        return run

    rows = [[1.0, 2.0], [3.0, 4.0]]
    places = paddle.to_tensor([0, 2])
    cases = {
        "mask": (assigned([True, False, True]), [1.0, 2.0, 3.0], [7.0, 8.0]),
        "rows": (assigned([False, True]), rows, [7.0, 8.0]),
        "where": (lambda x, v: paddle.where(_mask(paddle), v, x), [1.0, 2.0, 3.0], 5.0),
        "index_fill": (lambda x, v: paddle.index_fill(x, places, 0, v), [1.0, 2.0, 3.0], 5.0),
    }
    out = {}
    for text, (function, *values) in cases.items():
        leaves = [leaf(paddle, np.array(value, "float32")) for value in values]
        y = function(*leaves)
        (y * y * y).sum().backward()
        out[text] = [y.numpy(), *grads(*leaves)]
    return out


@differs(
    "Paddle reads float64 gradients of values assigned by a mask from the wrong place",
    right=[147.0, 192.0],
    paddle_gives=ANYTHING,
)
def gradient_of_float64_values_assigned_by_a_mask(paddle, np):
    """y[mask] = v with as many values as the mask has places."""
    x, value = leaf(paddle, np.array([1.0, 2.0, 3.0])), leaf(paddle, np.array([7.0, 8.0]))
    y = x * 1.0
    y[_mask(paddle)] = value
    (y * y * y).sum().backward()
    return value.grad.tolist()


@differs(
    "Paddle gives a value that was overwritten the gradient of the one that was kept",
    right={"scatter": [[0.0, 1.0], [0.0, 1.0, 1.0]], "index_put": [[0.0, 1.0], [0.0, 1.0, 1.0]]},
    paddle_gives={
        "scatter": [[1.0, 1.0], [0.0, 1.0, 1.0]],
        "index_put": [[1.0, 1.0], [0.0, 1.0, 1.0]],
    },
)
def writing_one_place_twice_with_functions(paddle, np):
    """scatter and index_put with an index that repeats keep the last value."""
    places = paddle.to_tensor([0, 0])
    functions = {
        "scatter": lambda x, v: paddle.scatter(x, places, v),
        "index_put": lambda x, v: paddle.index_put(x, (places,), v),
    }
    out = {}
    for text, function in functions.items():
        x, value = leaf(paddle, [1.0, 2.0, 3.0]), leaf(paddle, [5.0, 6.0])
        function(x, value).backward()
        out[text] = [value.grad.tolist(), x.grad.tolist()]
    return out


@differs(
    "Paddle writes to the wrong elements of a transposed tensor",
    right=[[[9, 9], [1, 4], [2, 5]], [[0, 9], [1, 9], [2, 9]]],
    paddle_gives=ANYTHING,
)
def writing_into_a_transposed_tensor(paddle, np):
    """t[tensor] = v and t[:, tensor] = v on the transpose of a matrix."""
    rows = paddle.arange(6).reshape([2, 3]).T
    rows[paddle.to_tensor([0])] = 9
    columns = paddle.arange(6).reshape([2, 3]).T
    columns[:, paddle.to_tensor([1])] = 9
    return [rows.tolist(), columns.tolist()]


@differs(
    "Paddle's set_value ignores the strides of a view",
    right=[[10.0, 20.0], [[10.0, 1.0, 2.0], [20.0, 4.0, 5.0]]],
    paddle_gives=[[10.0, 20.0], [[10.0, 20.0, 2.0], [3.0, 4.0, 5.0]]],
)
def set_value_on_a_column(paddle, np):
    """set_value on the first column writes the first column."""
    matrix = paddle.arange(6, dtype="float32").reshape([2, 3])
    column = matrix[:, 0]
    column.set_value(np.float32([10.0, 20.0]))
    return [column.tolist(), matrix.tolist()]


@differs(
    "Paddle's cast_ writes the wider numbers over the bytes of the tensor it is a view of",
    right=["paddle.float64", [0.0, 1.0], [0.0, 1.0, 2.0, 3.0]],
    paddle_gives=["paddle.float64", [0.0, 1.0], [0.0, 0.0, 0.0, 1.875]],
)
def cast_in_place_of_a_view(paddle, np):
    """cast_ of a slice leaves the tensor as it is."""
    whole = paddle.arange(4, dtype="float32")
    part = whole[0:2]
    part.cast_("float64")
    return [str(part.dtype), part.tolist(), whole.tolist()]


def _refused(call):
    try:
        return call()
    except Exception as error:
        return error_class(error)


@differs(
    "Paddle takes text beside a tensor for nothing at all",
    right=dict.fromkeys(["x + 'a'", "'a' + x", "x - 'a'", "x ** 'a'", "x > 'a'"], "TypeError"),
    paddle_gives={
        "x + 'a'": [1.0],
        "'a' + x": [1.0],
        "x - 'a'": [1.0],
        "x ** 'a'": [1.0],
        "x > 'a'": [True],
    },
)
def text_beside_a_tensor(paddle, np):
    """Arithmetic with a str is refused."""
    x = paddle.to_tensor([1.0])
    calls = {
        "x + 'a'": lambda: (x + "a").tolist(),
        "'a' + x": lambda: ("a" + x).tolist(),
        "x - 'a'": lambda: (x - "a").tolist(),
        "x ** 'a'": lambda: (x ** "a").tolist(),
        "x > 'a'": lambda: (x > "a").tolist(),
    }
    return {text: _refused(call) for text, call in calls.items()}


@differs(
    "Paddle's as_complex refuses a tensor that is not contiguous",
    right=[[3j, 1 + 4j, 2 + 5j], [[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]]],
    paddle_gives="ValueError",
)
def as_complex_of_a_transposed_tensor(paddle, np):
    """as_complex goes by elements, not by memory."""
    x = leaf(paddle, np.arange(6, dtype="float64").reshape(2, 3))
    seed = paddle.to_tensor(np.full(3, 1 - 1j))

    def run():
        out = paddle.as_complex(x.T)
        out.backward(seed)
        return [out.tolist(), x.grad.tolist()]

    return _refused(run)


@program
def as_complex_of_a_slice(paddle, np):
    """as_complex of columns of a wider tensor."""
    x = leaf(paddle, np.arange(12, dtype="float64").reshape(3, 4))
    out = paddle.as_complex(x[:, :2])
    (out * (1 + 2j)).backward()
    return [out.numpy(), x.grad.numpy()]


@differs(
    "Paddle drops what is written at an index out of range, or reads what lies there",
    right=["IndexError", "IndexError", "IndexError"],
    paddle_gives=ANYTHING,
)
def indices_out_of_range(paddle, np):
    """Reading, and writing a number or a tensor, at places that are not there."""
    high, low = paddle.to_tensor([5]), paddle.to_tensor([-7])
    x = paddle.to_tensor([1.0, 2.0, 3.0])

    def write(value):
        y = x * 1.0
        y[high] = value
        return y.tolist()

    return [
        _refused(lambda: x[low].tolist()),
        _refused(lambda: write(9.0)),
        _refused(lambda: write(paddle.to_tensor([9.0]))),
    ]


@program
def indices_out_of_range_that_are_noticed(paddle, np):
    """gather, take_along_axis, put_along_axis, scatter and scatter_nd_add check."""
    x, one, far = paddle.to_tensor([1.0, 2.0, 3.0]), paddle.ones([1]), paddle.to_tensor([7])
    return [
        _refused(lambda: paddle.gather(x, far)),
        _refused(lambda: paddle.take_along_axis(x, far, 0)),
        _refused(lambda: paddle.put_along_axis(x, far, one, 0)),
        _refused(lambda: paddle.scatter(x, far, one)),
        _refused(lambda: paddle.scatter_nd_add(x, far.reshape([1, 1]), one)),
    ]


@differs(
    "copy_ and an optimizer's step write without a new version, and backward uses what they wrote",
    right={"copy_": [8.0, 16.0], "step": [4.0]},
    paddle_gives={"copy_": [400.0, 400.0], "step": [3.200000047683716]},
)
def writes_without_a_version(paddle, np):
    """Backward through y * y uses the y that was multiplied."""
    x = leaf(paddle, [1.0, 2.0])
    y = x * 2
    product = y * y
    y.copy_(paddle.to_tensor([100.0, 100.0]), True)
    product.sum().backward()
    weight = paddle.create_parameter([1], "float32")
    weight.set_value(np.float32([2.0]))
    loss = weight * weight
    optimizer = paddle.optimizer.SGD(0.1, parameters=[weight])
    loss.backward(retain_graph=True)
    optimizer.step()
    optimizer.clear_grad()
    loss.backward()
    return {"copy_": x.grad.tolist(), "step": weight.grad.tolist()}


def _label_gradients(paddle, np):
    F = paddle.nn.functional
    functions = {
        "kl_div": lambda x, y: F.kl_div(x, y, "sum"),
        "kl_div of logarithms": lambda x, y: F.kl_div(x, y, "sum", log_target=True),
        "binary_cross_entropy": lambda x, y: F.binary_cross_entropy(x, y, reduction="sum"),
        "with_logits": lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="sum"),
        "cross_entropy": lambda x, y: F.cross_entropy(x, y, soft_label=True, reduction="sum"),
    }
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, np.array([[0.5, 0.25]]))
        label = leaf(paddle, np.array([[0.25, 0.5]]))
        function(x, label).backward()
        out[text] = None if label.grad is None else np.round(label.grad.numpy(), 6).tolist()
    return out


@differs(
    "Paddle gives the label of a loss no gradient, and does not say so",
    right={
        "kl_div": [[-0.886294, 0.056853]],
        "kl_div of logarithms": [[0.963019, 2.060902]],
        "binary_cross_entropy": [[0.0, 1.098612]],
        "with_logits": [[-0.5, -0.25]],
        "cross_entropy": [[0.575939, 0.825939]],
    },
    paddle_gives=dict.fromkeys(
        [
            "kl_div",
            "kl_div of logarithms",
            "binary_cross_entropy",
            "with_logits",
            "cross_entropy",
        ]
    ),
)
def gradients_of_labels(paddle, np):
    """A soft label that wants a gradient, such as another network's output."""
    return _label_gradients(paddle, np)


@differs(
    "Paddle's gradient takes it that soft labels add up to 1, its loss does not",
    right=[0.625, -0.625],
    paddle_gives=[-0.5, -1.75],
)
def soft_labels_that_do_not_add_up_to_one(paddle, np):
    """dlogits = softmax * sum(label) - label."""
    x = leaf(paddle, np.array([[0.0, 0.0]]))
    label = paddle.to_tensor(np.array([[1.0, 2.25]]))
    paddle.nn.functional.cross_entropy(x, label, soft_label=True, reduction="sum").backward()
    return x.grad[0].tolist()


@program
def nodes_of_losses_whose_label_is_data(paddle, np):
    """A label that wants no gradient leaves the graph as it is in Paddle."""
    F = paddle.nn.functional
    x = leaf(paddle, np.array([[0.5, 0.25]]))
    label = paddle.to_tensor(np.array([[0.25, 0.75]]))
    outs = [
        F.kl_div(x, label, "none"),
        F.binary_cross_entropy(x, label, reduction="none"),
        F.binary_cross_entropy_with_logits(x, label, reduction="none"),
        F.cross_entropy(x, label, soft_label=True, reduction="none"),
    ]
    found = [[each.grad_fn.name(), len(each.grad_fn.next_functions)] for each in outs[:3]]
    for each in outs:
        each.sum().backward()
    return [found, x.grad.numpy()]


@differs(
    "Paddle gives the weight of lerp, and pos_weight of a loss, no gradient",
    right=[3.0, [0.237038, 0.287970]],
    paddle_gives=[None, None],
)
def gradients_of_weights(paddle, np):
    """lerp moves by y - x as its weight grows, the loss of a positive label by softplus(-x)."""
    weight = leaf(paddle, np.array(0.25))
    paddle.lerp(leaf(paddle, np.array([1.0])), leaf(paddle, np.array([4.0])), weight).backward()
    pos_weight = leaf(paddle, np.array([2.0, 3.0]))
    logits, label = paddle.to_tensor(np.array([0.5, 0.25])), paddle.to_tensor(np.array([0.5, 0.5]))
    loss = paddle.nn.functional.binary_cross_entropy_with_logits
    loss(logits, label, reduction="sum", pos_weight=pos_weight).backward()
    return [
        None if weight.grad is None else weight.grad.item(),
        None if pos_weight.grad is None else np.round(pos_weight.grad.numpy(), 6).tolist(),
    ]


@program
def filling_with_a_tensor(paddle, np):
    """fill_ takes a number, so that no tensor loses its gradient there."""
    y = leaf(paddle, [1.0, 2.0]) * 1.0
    return attempt(lambda: y.fill_(leaf(paddle, 3.0)))["error"]


@differs(
    "Paddle's destructor of a graph calls itself once a node",
    right="alive",
    paddle_gives=CRASHES,
)
def dropping_a_long_chain(paddle, np):
    """A chain of 200 000 nodes is dropped without having been run."""
    x = leaf(paddle, [1.0])
    y = x
    for _ in range(200_000):
        y = y * 1.0
    del y
    return "alive"


@differs(
    "Paddle's third order of a convolution loses the paths through both operands",
    right=[451.75, 2710.5, 10842.0],
    paddle_gives=[451.75, 2710.5, 3614.0],
)
def third_order_of_a_convolution(paddle, np):
    """conv2d(x A, x B) is x^2 times a constant; the sum of its squares is 903.5 x^4."""
    image = paddle.to_tensor(np.arange(1.0, 10.0).reshape(1, 1, 3, 3))
    kernel = paddle.to_tensor(np.array([[[[1.0, -1.0], [2.0, 0.5]]]]))
    x = leaf(paddle, np.array(0.5))
    out = paddle.nn.functional.conv2d(x * image, x * kernel)
    order, found = (out * out).sum(), []
    for last in (False, False, True):
        (order,) = paddle.grad(order, x, create_graph=not last)
        found.append(order.item())
    return found


def _half_gradients(paddle, np, dtype):
    functions = {
        "add": lambda x: x + x,
        "divide": lambda x: x / (x + x),
        "matmul": lambda x: paddle.matmul(x, x),
        "tanh": paddle.tanh,
        "softmax": paddle.nn.functional.softmax,
    }
    out = {}
    for text, function in functions.items():
        x = leaf(paddle, np.ones((2, 2), "float32")).astype(dtype).detach()
        x.stop_gradient = False

        def run(x=x, function=function):
            function(x).backward()
            return str(x.grad.dtype)

        out[text] = _refused(run)
    return out


NAMES = "add divide matmul tanh softmax".split()


@differs(
    "Paddle has no kernels of half precision on a CPU",
    right=[
        dict.fromkeys(NAMES, "paddle.float16"),
        dict.fromkeys(NAMES, "paddle.bfloat16"),
    ],
    paddle_gives=[dict.fromkeys(NAMES, "RuntimeError")] * 2,
)
def half_precision_everywhere(paddle, np):
    """Arithmetic and its gradients in float16 and bfloat16."""
    return [_half_gradients(paddle, np, dtype) for dtype in ("float16", "bfloat16")]


@differs(
    "Paddle's backward cannot record",
    right=[27.0, 18.0],
    paddle_gives="TypeError",
)
def backward_that_records(paddle, np):
    """backward(create_graph=True) leaves gradients that can be differentiated."""
    x = leaf(paddle, 3.0)

    def run():
        (x * x * x).backward(create_graph=True)
        first = x.grad
        return [first.item(), paddle.grad(first, x)[0].item()]

    return _refused(run)


@differs(
    "Paddle's relu returns 0 for nan, which hides it; every other activation of Paddle keeps it",
    right=[["nan", "0.0", "1.0"], ["nan", "0.0", "1.0"], ["nan", "0.0", "1.0"]],
    paddle_gives=[["0.0", "0.0", "1.0"], ["0.0", "0.0", "1.0"], ["nan", "0.0", "1.0"]],
)
def relu_of_nan(paddle, np):
    """relu, in place too, and maximum of 0, at nan."""
    x = paddle.to_tensor(np.array([NAN, -1.0, 1.0]))
    relu, relu_ = paddle.nn.functional.relu, paddle.nn.functional.relu_
    results = [relu(x), relu_(x.clone()), paddle.maximum(x, paddle.zeros_like(x))]
    return [[str(each) for each in result.tolist()] for result in results]
