"""Hooks of nodes and of layers, reduce hooks of leaves, and what a node shows of itself."""

from ..probe import array, attempt, error_class, grads, leaf
from ..registry import differs, program
from .hooks import scaler, watcher


def _lists(tensors):
    return [tensor.tolist() for tensor in tensors]


@program
def post_hook_arguments(paddle, np):
    """A post hook gets the gradients made and the gradients received, as flat tuples."""
    x, w, log = leaf(paddle, [1.0, 2.0]), leaf(paddle, [3.0, 4.0]), []
    y = x * w

    def hook(outputs, inputs):
        log.append([type(outputs).__name__, type(inputs).__name__])
        log.append([_lists(outputs), _lists(inputs)])
        return outputs

    y.grad_fn._register_post_hook(hook)
    y.backward(paddle.to_tensor([5.0, 6.0]))
    return [log, *grads(x, w)]


@program
def post_hook_replaces(paddle, np):
    """What it returns, as list or tuple, goes on along the edges."""
    out = []
    for answer in (
        lambda outputs: tuple(grad * 10 for grad in outputs),
        lambda outputs: [outputs[1], outputs[0]],
        lambda outputs: [paddle.zeros([1]), outputs[1]],
    ):
        x, w = leaf(paddle, [2.0]), leaf(paddle, [3.0])
        y = x * w
        y.grad_fn._register_post_hook(lambda outputs, inputs, answer=answer: answer(outputs))
        (y * 1.0).backward()
        out.append(grads(x, w))
    return out


@program
def several_post_hooks(paddle, np):
    """Post hooks run in order, each on what the one before it returned."""
    x, log = leaf(paddle, [2.0]), []
    y = x * x

    def post(name, factor):
        def hook(outputs, inputs):
            log.append([name, _lists(outputs), _lists(inputs)])
            return [grad * factor for grad in outputs]

        return hook

    y.grad_fn._register_post_hook(post("first", 10.0))
    y.grad_fn._register_post_hook(post("second", 3.0))
    y.backward()
    return [log, x.grad.numpy()]


@program
def removing_post_hooks(paddle, np):
    """The handle removes one."""
    x, log = leaf(paddle, [2.0]), []
    y = x * x
    handles = [
        y.grad_fn._register_post_hook(lambda outputs, inputs, k=k: log.append(k) or outputs)
        for k in range(3)
    ]
    said = [handles[1].remove()]
    y.backward(retain_graph=True)
    said += [handles[0].remove(), handles[2].remove()]
    y.backward()
    return [said, log, x.grad.numpy()]


@program
def post_hook_after_gradient_hooks(paddle, np):
    """Hooks of the tensor run before the node, its post hooks after it, then those of leaves."""
    x, log = leaf(paddle, [2.0]), []
    y = x * x
    y.grad_fn._register_post_hook(
        lambda outputs, inputs: log.append([_lists(outputs), _lists(inputs)]) or outputs
    )
    y.register_hook(scaler(log, "y", 10.0))
    x.register_hook(watcher(log, "x"))
    y.backward()
    return [log, x.grad.numpy()]


def _flat(tensors):
    """Returns the values of tensors, those of a list among them too."""
    lists = [t if isinstance(t, list) else [t] for t in tensors]
    return [tensor.tolist() for found in lists for tensor in found]


@program
def post_hook_of_a_node_with_pieces(paddle, np):
    """A node with several outputs: an unused one is received as zeros."""
    out = []
    for cut in (lambda x: paddle.split(x, 2), paddle.unbind):
        x, log = leaf(paddle, [[1.0, 2.0], [3.0, 4.0]]), []
        piece = cut(x)[1]
        piece.grad_fn._register_post_hook(
            lambda made, taken, log=log: log.append([_flat(made), _flat(taken)]) or made
        )
        (piece * 3).backward()
        out.append([log, x.grad.numpy()])
    return out


@differs(
    "Paddle hands a list operand's gradients over as a list, which it then does not take back",
    right=[[[3.0], [2.0], [1.0]], [[1.0], [2.0], [3.0]]],
    paddle_gives="TypeError",
)
def post_hook_of_a_list_operand(paddle, np):
    """concat hands out one gradient per tensor of its list, and takes them back."""
    tensors, log = [leaf(paddle, [1.0 + k]) for k in range(3)], []
    y = paddle.concat(tensors)
    y.grad_fn._register_post_hook(lambda made, taken: log.extend(_flat(made)) or made[::-1])
    answer = attempt(lambda: y.backward(paddle.to_tensor([1.0, 2.0, 3.0])))
    return answer["error"] if answer else [[t.grad.tolist() for t in tensors], log]


@program
def post_hook_returns_wrongly(paddle, np):
    """Neither None nor one tensor nor too few are an answer."""
    x, w = leaf(paddle, [2.0]), leaf(paddle, [3.0])
    out = {}
    for text, answer in {
        "None": lambda outputs: None,
        "tensor": lambda outputs: outputs[0],
        "number": lambda outputs: 5,
    }.items():
        y = x * w
        y.grad_fn._register_post_hook(lambda outputs, inputs, answer=answer: answer(outputs))
        answer = attempt(lambda y=y: y.backward())
        out[text] = answer and answer["error"]
    return [out, *grads(x, w)]


@differs(
    "Paddle says SystemError with its own numbers",
    right=["ValueError", None],
    paddle_gives=["SystemError", None],
)
def post_hook_returns_too_few(paddle, np):
    """A post hook returns as many gradients as it got."""
    x, w = leaf(paddle, [2.0]), leaf(paddle, [3.0])
    y = x * w
    y.grad_fn._register_post_hook(lambda outputs, inputs: outputs[:1])
    return [attempt(lambda: y.backward())["error"], array(x.grad)]


@program
def post_hook_on_a_leaf(paddle, np):
    """The accumulation node of a leaf takes no post hook."""
    x = leaf(paddle, [2.0])
    return attempt(lambda: x.grad_fn._register_post_hook(lambda outputs, inputs: outputs))


@program
def post_hooks_of_a_constant_operand(paddle, np):
    """Where an operand stops gradients, nothing was made."""
    x, c, log = leaf(paddle, [2.0]), paddle.to_tensor([3.0]), []
    y = c * x

    def hook(outputs, inputs):
        log.append([len(outputs), outputs[1].tolist(), inputs[0].tolist()])
        return [outputs[0], outputs[1] * 2]

    y.grad_fn._register_post_hook(hook)
    y.backward()
    return [log, *grads(x, c)]


@program
def reduce_hooks(paddle, np):
    """A reduce hook is called without arguments, once a backward, after .grad was written."""
    x, log = leaf(paddle, [1.0]), []
    x._register_backward_hook(lambda: log.append(x.grad.tolist()))
    y = x * x + x * 3
    y.backward(retain_graph=True)
    y.backward()
    x.backward()
    return [log, x.grad.numpy()]


@program
def reduce_hooks_in_order(paddle, np):
    """Gradient hooks, accumulation, reduce hooks; whichever was registered first."""
    x, log = leaf(paddle, [1.0]), []
    x._register_backward_hook(lambda: log.append(["reduce one", x.grad.tolist()]))
    x.register_hook(scaler(log, "hook", 10.0))
    x._register_backward_hook(lambda: log.append(["reduce two", x.grad.tolist()]))
    (x * 2).backward()
    return log


@program
def reduce_hooks_of_parameters(paddle, np):
    """What a data-parallel wrapper does: count the parameters that are ready."""
    layer, ready = paddle.nn.Linear(2, 2), []
    for name, parameter in layer.named_parameters():
        parameter._register_backward_hook(lambda name=name: ready.append(name))
    (layer(paddle.ones([1, 2])) ** 2).sum().backward()
    return ready


@program
def reduce_hooks_refused(paddle, np):
    """Neither an intermediate nor a constant takes a reduce hook."""
    x, c = leaf(paddle, [1.0]), paddle.to_tensor([1.0])
    return {
        "intermediate": attempt(lambda: (x * 2)._register_backward_hook(lambda: None)),
        "constant": attempt(lambda: c._register_backward_hook(lambda: None)),
    }


@program
def names_of_nodes(paddle, np):
    """grad_fn.name() and next_functions down to the leaves."""
    x, w = leaf(paddle, [1.0, 2.0]), leaf(paddle, [3.0, 4.0])
    y = paddle.exp(x * w) + w
    (product, end) = y.grad_fn.next_functions[0].next_functions[0], y.grad_fn.next_functions[1]
    return {
        "add": [node.name() for node in y.grad_fn.next_functions],
        "multiply": [node.name() for node in product.next_functions],
        "leaf": [end.name(), end.next_functions],
        "constant": (paddle.ones([1]) * leaf(paddle, [1.0])).grad_fn.next_functions[0],
        "list": type(y.grad_fn.next_functions).__name__,
        "stopped": (x.detach() * 2).grad_fn,
    }


@program
def identity_of_nodes(paddle, np):
    """The same node from everywhere it can be reached."""
    x = leaf(paddle, [1.0, 2.0, 3.0, 4.0])
    y = x * 2
    left, right = paddle.split(y, 2)
    z = left + right
    above = z.grad_fn.next_functions
    return [
        left.grad_fn.node_ptr() == right.grad_fn.node_ptr(),
        above[0].node_ptr() == above[1].node_ptr() == left.grad_fn.node_ptr(),
        above[0].next_functions[0].node_ptr() == y.grad_fn.node_ptr(),
        y.grad_fn.next_functions[0].node_ptr() == x.grad_fn.node_ptr(),
        y[:].grad_fn.node_ptr() == y.grad_fn.node_ptr(),
        (x * 2).grad_fn.node_ptr() == y.grad_fn.node_ptr(),
    ]


@program
def nodes_after_backward(paddle, np):
    """Nodes, edges and names stay when the saved tensors are gone."""
    x = leaf(paddle, [1.0])
    y = paddle.exp(x * x)
    before = y.grad_fn.node_ptr()
    y.backward()
    above = y.grad_fn.next_functions[0]
    return [
        y.grad_fn.node_ptr() == before,
        y.grad_fn.name(),
        above.name(),
        [node.name() for node in above.next_functions],
    ]


@program
def a_node_of_an_in_place_op(paddle, np):
    """In-place ops put a new node on top of the old one."""
    x = leaf(paddle, [1.0])
    y = x * 2
    old = y.grad_fn
    y.exp_()
    return [
        old.name(),
        y.grad_fn.name(),
        y.grad_fn.next_functions[0].node_ptr() == old.node_ptr(),
    ]


@program
def when_a_leaf_has_a_node(paddle, np):
    """A leaf has its accumulation node from its making, or from its first use."""
    made, x = paddle.ones([1]), leaf(paddle, [1.0])
    made.stop_gradient = False
    return [made.grad_fn.name(), x.grad_fn.name(), x.is_leaf, made.is_leaf]


class _Layers:
    """Makes a layer that doubles, and hooks that write down what they saw."""

    def __init__(self, paddle):
        class Double(paddle.nn.Layer):
            def forward(self, x, factor=2.0):
                return x * factor

        self.layer, self.log = Double(), []

    def pre(self, name, answer=None):
        def hook(layer, inputs):
            self.log.append([name, layer is self.layer, [i.tolist() for i in inputs]])
            return answer and answer(inputs)

        return hook

    def post(self, name, answer=None):
        def hook(layer, inputs, output):
            self.log.append([name, [i.tolist() for i in inputs], output.tolist()])
            return answer and answer(output)

        return hook


@program
def hooks_of_layers(paddle, np):
    """Forward pre hooks, forward, forward post hooks, each kind in order."""
    made = _Layers(paddle)
    layer = made.layer
    handles = [
        layer.register_forward_post_hook(made.post("post one")),
        layer.register_forward_pre_hook(made.pre("pre one")),
        layer.register_forward_post_hook(made.post("post two")),
        layer.register_forward_pre_hook(made.pre("pre two")),
    ]
    layer(paddle.to_tensor([1.0]))
    handles[0].remove()
    handles[1].remove()
    layer(paddle.to_tensor([3.0]))
    handles[0].remove()
    return made.log


@program
def hooks_of_layers_replace(paddle, np):
    """What a pre hook returns becomes the input, what a post hook returns the output."""
    made = _Layers(paddle)
    layer = made.layer
    layer.register_forward_pre_hook(made.pre("one value", lambda inputs: inputs[0] + 1))
    layer.register_forward_pre_hook(made.pre("a tuple", lambda inputs: (inputs[0] * 10,)))
    layer.register_forward_post_hook(made.post("post", lambda output: output - 0.5))
    layer.register_forward_post_hook(made.post("last"))
    x = leaf(paddle, [1.0])
    y = layer(x)
    y.backward()
    return [made.log, y.numpy(), x.grad.numpy()]


@program
def hooks_of_layers_may_hook_tensors(paddle, np):
    """A post hook that registers a gradient hook on each layer's output."""
    nn, log = paddle.nn, []
    net = nn.Sequential(nn.Linear(1, 1), nn.Tanh(), nn.Linear(1, 1))
    for parameter in net.parameters():
        parameter.set_value(np.full(parameter.shape, 0.5, "float32"))
    for name, layer in net.named_sublayers():
        layer.register_forward_post_hook(
            lambda layer, inputs, output, name=name: (
                output.register_hook(watcher(log, name)) and None
            )
        )
    net(paddle.to_tensor([[2.0]])).backward()
    return log


def _caught(call):
    try:
        return call()
    except BaseException as error:
        return error_class(error)


@differs(
    "Paddle turns what a post hook raises into an OSError and drops what a reduce hook raises",
    right=["ValueError", "KeyError"],
    paddle_gives=["OSError", None],
)
def node_hooks_that_raise(paddle, np):
    """An exception keeps its class."""

    def post(outputs, inputs):
        raise ValueError("boom")

    def reduce():
        raise KeyError("boom")

    x, w = leaf(paddle, [1.0]), leaf(paddle, [1.0])
    y = x * 2
    y.grad_fn._register_post_hook(post)
    w._register_backward_hook(reduce)
    return [_caught(lambda: y.backward()), _caught(lambda: (w * 2).backward())]
