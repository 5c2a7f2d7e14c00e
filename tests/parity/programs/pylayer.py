"""PyLayer: inputs and outputs, what backward gets and returns, the context, orders, nesting."""

from ..probe import array, attempt, facts, grads, graph, leaf
from ..registry import program


def layer(paddle, forward, backward=lambda ctx, grad: grad, name="P"):
    """Returns a PyLayer of two functions."""
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(name, (paddle.autograd.PyLayer,), methods)


def cube(paddle):
    """Returns a PyLayer that can be differentiated again and again."""

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    def backward(ctx, grad):
        (x,) = ctx.saved_tensor()
        return grad * 3.0 * x * x

    return layer(paddle, forward, backward, "Cube")


def exponential(paddle):
    """Returns a PyLayer that saves its output."""

    def forward(ctx, x):
        y = paddle.exp(x)
        ctx.save_for_backward(y)
        return y

    return layer(paddle, forward, lambda ctx, grad: grad * ctx.saved_tensor()[0], "Exp")


# ---- inputs


@program
def pylayer_inputs(paddle, np):
    """Tensors, and lists and tuples with Tensors in them, are inputs; the rest passes through."""
    seen = []

    def forward(ctx, x, number, mapping, nested, mixed, text, y, empty):
        seen.append([number, sorted(mapping), len(nested), text, empty])
        return x * y * mixed[1]

    p = layer(paddle, forward, lambda ctx, grad: (grad, [grad * 2], grad * 3))
    x, y, z, hidden = (leaf(paddle, [value]) for value in (2.0, 3.0, 5.0, 7.0))
    out = p.apply(x, 3, {"a": hidden}, [[hidden]], [1, z, None], "text", y=y, empty=[])
    out.backward()
    return [seen, graph(out), *grads(x, y, z, hidden)]


@program
def pylayer_keywords_in_call_order(paddle, np):
    """Keyword arguments are inputs in the order of the call, after the positional ones."""
    p = layer(paddle, lambda ctx, a, x, y: a * x * y, lambda ctx, g: (g, g * 10, g * 20))
    a, x, y = (leaf(paddle, [1.0]) for _ in range(3))
    p.apply(a, y=y, x=x).backward()
    return grads(a, x, y)


@program
def pylayer_same_tensor_twice(paddle, np):
    """One tensor given twice is two inputs, and gets the sum."""
    p = layer(paddle, lambda ctx, x, y: x * y, lambda ctx, grad: (grad, grad * 10))
    x = leaf(paddle, [2.0])
    p.apply(x, x).backward()
    return grads(x)


@program
def pylayer_inputs_in_forward(paddle, np):
    """Forward sees the very tensors, and runs with recording off."""
    seen = []

    def forward(ctx, x, s):
        seen.append([x.stop_gradient, s.stop_gradient, x.is_leaf, paddle.is_grad_enabled()])
        seen.append((x * 2).stop_gradient)
        return x * s

    x = leaf(paddle, [1.0])
    out = layer(paddle, forward).apply(x, paddle.ones([1]))
    return [seen, facts(out), paddle.is_grad_enabled()]


@program
def pylayer_unrecorded(paddle, np):
    """Without a wanted gradient, under no_grad, or with hidden tensors only, there is no node."""
    p = layer(paddle, lambda ctx, x: x * 2 if hasattr(x, "shape") else paddle.ones([1]))
    x, out = leaf(paddle, [1.0]), {}
    out["stopped"] = facts(p.apply(paddle.ones([1])))
    with paddle.no_grad():
        out["no_grad"] = facts(p.apply(x))
    out["dict"] = facts(p.apply({"x": x}))
    out["nested"] = facts(p.apply([[x]]))
    return out


@program
def pylayer_list_inputs(paddle, np):
    """A list input gets a list; a stopped element's gradient is passed over, None is allowed."""
    out = []
    answers = {
        "all": lambda ctx, g: [g, g * 2],
        "tuple": lambda ctx, g: ((g, g * 2),),
        "none first": lambda ctx, g: [None, g],
    }
    for name, backward in answers.items():
        for stops in ((False, False), (False, True)):
            p = layer(paddle, lambda ctx, xs: xs[0] * xs[1], backward)
            x, y = (paddle.to_tensor([3.0], stop_gradient=stop) for stop in stops)
            result = p.apply([x, y])
            result.backward()
            out.append([name, stops, graph(result), *grads(x, y)])
    return out


@program
def pylayer_list_whose_first_tensor_stops(paddle, np):
    """A list is judged by its first tensor: the whole of it gets None, else it is an error."""
    out = []
    for stops in ((True, False), (True, True)):
        for answer in (lambda grad: None, lambda grad: [grad, grad], lambda grad: [None, None]):
            p = layer(
                paddle,
                lambda ctx, xs, z: xs[0] * xs[1] * z,
                lambda ctx, grad, answer=answer: (answer(grad), grad),
            )
            x, y = (paddle.to_tensor([3.0], stop_gradient=stop) for stop in stops)
            z = leaf(paddle, [5.0])
            result = p.apply([x, y], z)
            out.append([attempt(result.backward), *grads(x, y, z)])
    return out


# ---- outputs


@program
def pylayer_outputs(paddle, np):
    """A tuple stays a tuple, a list a list, and what is no tensor passes through."""
    out = {}
    results = {
        "tensor": lambda x: x * 2,
        "tuple": lambda x: (x * 2, x * 3),
        "one": lambda x: (x * 2,),
        "list": lambda x: [x * 2, x * 3],
        "mixed": lambda x: (x * 2, None, "text", 4, {"a": 1}),
    }
    for name, result in results.items():
        p = layer(
            paddle,
            lambda ctx, x, result=result: result(x),
            lambda ctx, *gs: sum(g * 10**i for i, g in enumerate(gs)),
        )
        x = leaf(paddle, [1.0])
        found = p.apply(x)
        tensors = [found] if name == "tensor" else [t for t in found if hasattr(t, "backward")]
        sum(t * (i + 1) for i, t in enumerate(tensors)).backward()
        others = [] if name == "tensor" else [t for t in found if not hasattr(t, "backward")]
        out[name] = [type(found).__name__, others, *map(facts, tensors), *grads(x)]
    out["tensor"][0] = "Tensor"
    return out


@program
def pylayer_one_tensor_in_a_nested_list(paddle, np):
    """An inner list of one tensor: backward gets a sequence of one."""
    seen = []

    def backward(ctx, first, several):
        seen.append(isinstance(several, (list, tuple)))
        return first + several[0] * 10

    p = layer(paddle, lambda ctx, x: (x * 2, [x * 3]), backward)
    x = leaf(paddle, [1.0])
    a, (b,) = p.apply(x)
    (a + b * 2).backward()
    return [seen, facts(b), *grads(x)]


@program
def pylayer_no_output(paddle, np):
    """A forward that returns no tensor is refused, recorded or not."""
    out = []
    for value in (3, None, (), {"x": 1}, [None, 3]):
        p = layer(paddle, lambda ctx, x, value=value: value)
        out.append(attempt(lambda p=p: p.apply(leaf(paddle, [1.0]))))
        out.append(attempt(lambda p=p: p.apply(paddle.ones([1]))))
    return out


@program
def pylayer_stop_gradient_set_in_forward(paddle, np):
    """What forward says of stop_gradient does not count."""

    def forward(ctx, x):
        y = x * 2
        y.stop_gradient = True
        return y

    x = leaf(paddle, [1.0])
    y = layer(paddle, forward).apply(x)
    y.backward()
    return [facts(y), *grads(x)]


@program
def pylayer_integer_output(paddle, np):
    """An integer output has the node too, and its gradient is integer zeros."""
    seen = []

    def backward(ctx, grad, of_index):
        seen.append([str(of_index.dtype), of_index.tolist(), of_index.stop_gradient])
        return grad

    p = layer(paddle, lambda ctx, x: (x * 2, paddle.to_tensor([1, 2])), backward)
    x = leaf(paddle, [1.0])
    a, b = p.apply(x)
    a.backward()
    return [seen, facts(b), *grads(x)]


@program
def pylayer_history_inside_forward(paddle, np):
    """An output that was recorded inside forward belongs to the PyLayer from then on."""

    def forward(ctx, x):
        with paddle.enable_grad():
            return x * 2

    x = leaf(paddle, [1.0])
    y = layer(paddle, forward, lambda ctx, grad: grad * 7).apply(x)
    y.backward()
    return [graph(y), *grads(x)]


@program
def pylayer_view_of_an_input(paddle, np):
    """A view of an input is an ordinary output: nothing was written."""

    def backward(ctx, grad):
        return paddle.concat([grad, grad * 0]) * 3

    p = layer(paddle, lambda ctx, x: x[0:1], backward)
    x = leaf(paddle, [1.0, 2.0])
    y = p.apply(x)
    y.backward()
    return [facts(y), x.inplace_version, y.inplace_version, *grads(x)]


# ---- in place


@program
def pylayer_in_place_non_leaf(paddle, np):
    """Returning an input that is no leaf: the same tensor, one version on, at the new node."""
    x = leaf(paddle, [1.0])
    a = x * 2
    y = layer(paddle, lambda ctx, t: t, lambda ctx, grad: grad * 3).apply(a)
    found = [y is a, a.inplace_version, graph(a)]
    y.backward()
    return [*found, *grads(x)]


@program
def pylayer_in_place_write(paddle, np):
    """Forward writes its input and returns it: two versions on."""

    def forward(ctx, x):
        x.scale_(2.0)
        return x

    x = leaf(paddle, [1.0])
    a = x * 2
    y = layer(paddle, forward, lambda ctx, grad: grad * 2).apply(a)
    found = [y is a, a.inplace_version, a.numpy(), graph(a)]
    y.backward()
    return [*found, *grads(x)]


@program
def pylayer_in_place_leaf(paddle, np):
    """Returning a leaf that wants a gradient is refused."""
    x = leaf(paddle, [1.0])
    x.name = "weight"
    p = layer(paddle, lambda ctx, t: t)
    error = attempt(lambda: p.apply(x))
    with paddle.no_grad():
        y = p.apply(x)
    return [error, x.is_leaf, x.inplace_version, y is x]


@program
def pylayer_in_place_makes_saved_tensors_stale(paddle, np):
    """What another op saved of the input before is out of date."""
    x = leaf(paddle, [1.0])
    a = x * 2
    b = a * a
    layer(paddle, lambda ctx, t: t).apply(a)
    return attempt(b.backward)


@program
def pylayer_returned_without_recording(paddle, np):
    """Nothing is in place when nothing is recorded."""
    x = paddle.ones([1])
    y = layer(paddle, lambda ctx, t: t).apply(x)
    return [y is x, x.inplace_version, facts(x)]


@program
def pylayer_in_place_inside_forward(paddle, np):
    """In-place ops on tensors that forward made."""

    def forward(ctx, x):
        y = paddle.zeros_like(x)
        y[0] = x[1]
        y.add_(x)
        return y

    def backward(ctx, grad):
        moved = grad.clone()
        moved[1] += grad[0]
        return moved

    x = leaf(paddle, [1.0, 2.0])
    y = layer(paddle, forward, backward).apply(x)
    y.sum().backward()
    return [facts(y), y.numpy(), *grads(x)]


# ---- backward


@program
def pylayer_unused_outputs(paddle, np):
    """Backward gets zeros for outputs nobody used, or None when forward asked for that."""
    out = []
    for materialize in (True, False):
        seen = []

        def forward(ctx, x, materialize=materialize):
            ctx.set_materialize_grads(materialize)
            return x * 2, x * 3

        def backward(ctx, a, b, seen=seen):
            seen.append([array(a), array(b), b is None or b.stop_gradient])
            return a

        x = leaf(paddle, [1.0, 2.0])
        layer(paddle, forward, backward).apply(x)[0].sum().backward()
        out.append([seen, *grads(x)])
    return out


@program
def pylayer_mode_in_backward(paddle, np):
    """Recording is on in backward when the graph of the gradients is wanted."""
    seen = []

    def backward(ctx, grad):
        seen.append(paddle.is_grad_enabled())
        seen.append(seen[-1] or [grad.stop_gradient, (grad * 2).stop_gradient])
        return grad

    p = layer(paddle, lambda ctx, x: x * 2, backward)
    x = leaf(paddle, [1.0])
    p.apply(x).backward()
    paddle.grad(p.apply(x), x)
    paddle.grad(p.apply(x) * x, x, create_graph=True)
    y = p.apply(x)
    with paddle.no_grad():
        y.backward()
    return [seen, paddle.is_grad_enabled()]


@program
def pylayer_none_for_a_product(paddle, np):
    """None is no gradient: of a leaf, and of the other input of a product."""
    p = layer(paddle, lambda ctx, x, y: x * y, lambda ctx, grad: (None, grad))
    x, y = leaf(paddle, [1.0]), leaf(paddle, [2.0])
    p.apply(x, y).backward()
    return grads(x, y)


@program
def pylayer_trailing_none(paddle, np):
    """Gradients of stopped inputs at the end may be left out."""
    p = layer(paddle, lambda ctx, x, y, z: x * y * z, lambda ctx, grad: grad)
    x = leaf(paddle, [1.0])
    p.apply(x, paddle.ones([1]), paddle.ones([1])).backward()
    return grads(x)


@program
def pylayer_wrong_returns(paddle, np):
    """Too many, too few, of another kind, or for a tensor that stops gradients."""
    two = {
        "three": lambda ctx, g: (g, g, g),
        "one": lambda ctx, g: g,
        "list": lambda ctx, g: [g, g],
        "number": lambda ctx, g: (g, 3),
        "list inside": lambda ctx, g: (g, [g]),
        "array": lambda ctx, g: (g, g.numpy()),
    }
    out = {}
    for name, backward in two.items():
        p = layer(paddle, lambda ctx, x, y: x * y, backward)
        x, y = leaf(paddle, [1.0]), leaf(paddle, [1.0])
        out[name] = [attempt(p.apply(x, y).backward), *grads(x, y)]
    one = {
        "empty": lambda ctx, g: (),
        "extra none": lambda ctx, g: (g, None),
        "text": lambda ctx, g: "text",
        "nothing": lambda ctx, g: None,
        "tuple": lambda ctx, g: (g,),
    }
    for name, backward in one.items():
        p = layer(paddle, lambda ctx, x, n: x * n, backward)
        x = leaf(paddle, [1.0])
        out[name] = [attempt(p.apply(x, 3).backward), *grads(x)]
    p = layer(paddle, lambda ctx, x, y: x * y, lambda ctx, g: (g, g))
    x = leaf(paddle, [1.0])
    out["stopped"] = [attempt(p.apply(paddle.ones([1]), x).backward), *grads(x)]
    return out


@program
def pylayer_wrong_lists(paddle, np):
    """For a list input: no list at all, or something else than tensors in it."""
    answers = {
        "none": lambda ctx, g: (g, None),
        "tensor": lambda ctx, g: (g, g),
        "number inside": lambda ctx, g: (g, [g, 3]),
        "missing": lambda ctx, g: g,
    }
    out = {}
    for name, backward in answers.items():
        p = layer(paddle, lambda ctx, z, xs: xs[0] * xs[1] * z, backward)
        x, y, z = (leaf(paddle, [1.0]) for _ in range(3))
        out[name] = [attempt(p.apply(z, [x, y]).backward), *grads(x, y, z)]
    return out


@program
def pylayer_gradient_dtype_on_the_way(paddle, np):
    """A gradient of another dtype is cast before an op or a PyLayer gets it."""
    seen = []

    def backward(ctx, grad):
        seen.append(str(grad.dtype))
        return grad

    half = layer(paddle, lambda ctx, x: x * 1, lambda ctx, grad: grad.astype("float16"))
    p = layer(paddle, lambda ctx, x: x * 2, backward)
    x = leaf(paddle, [1.0])
    half.apply(p.apply(x) * 1).backward()
    y = leaf(paddle, [1.0])
    half.apply(p.apply(y)).backward()
    return [seen, *grads(x, y)]


@program
def pylayer_gradient_dtype_kept(paddle, np):
    """set_grad_in_dtype_consistent(False): a gradient arrives in the dtype it was made in."""
    seen = []

    def forward(ctx, x):
        ctx.set_grad_in_dtype_consistent(False)
        return x * 2

    def backward(ctx, grad):
        seen.append(str(grad.dtype))
        return grad.astype("float32")

    half = layer(paddle, lambda ctx, x: x * 1, lambda ctx, grad: grad.astype("float16"))
    x = leaf(paddle, [1.0])
    half.apply(layer(paddle, forward, backward).apply(x)).backward()
    return [seen, *grads(x)]
