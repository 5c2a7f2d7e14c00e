"""What a tool does that captures a model's layers, as PaDiff does: hooks, replacements, wraps."""

import functools

from ..registry import program


def _model(paddle, np):
    paddle.seed(0)
    nn = paddle.nn

    class Residual(nn.Layer):
        def __init__(self):
            super().__init__()
            self.first, self.dropout, self.second = nn.Linear(4, 4), nn.Dropout(), nn.Linear(4, 2)

        def forward(self, x, scale=1.0):
            return self.second(self.dropout(self.first(x)) * scale + x)

    model = Residual()
    for i, weight in enumerate(model.parameters()):
        values = np.linspace(-1.0, 1.0, weight.size).reshape(weight.shape) + i / 8
        paddle.assign(paddle.to_tensor(values, dtype=weight.dtype), weight)
    return model


def _input(paddle, np):
    return paddle.to_tensor(np.linspace(0.0, 1.0, 8, dtype="float32").reshape(2, 4))


@program
def tree_of_layers(paddle, np):
    """Layers pushed by pre-hooks and popped by post-hooks; gradients by hooks of their inputs."""
    model, stack, seen = _model(paddle, np), [], []
    for name, layer in model.named_sublayers(include_self=True):
        layer.route = f"model.{name}"
        layer.register_forward_pre_hook(lambda layer, given: stack.append(layer))

        def record(layer, given, out):
            same = stack.pop() is layer
            entry = [layer.route, len(stack), same, type(out).__name__, str(out.layout)]
            seen.append(entry)
            for x in given:
                if not x.stop_gradient:
                    x.register_hook(lambda g: entry.append(g.detach().cpu().clone().numpy()))

        layer.register_forward_post_hook(record)
    for layer in model.sublayers(True):
        if "Dropout" in type(layer).__name__:
            layer.eval()
    model(_input(paddle, np)).mean().backward()
    return [seen, [each.extra_repr() for each in model.children()]]


@program
def replaced_outputs_and_gradients(paddle, np):
    """A post-hook gives a layer the output of another run, a Tensor's hook its gradient."""
    model, x = _model(paddle, np), _input(paddle, np)
    model.eval()
    stored = np.full([2, 4], 0.25, "float32")

    def replace(layer, given, out):
        return paddle.to_tensor(stored, dtype=out.dtype)

    def pulled(layer, given):
        given[0].register_hook(lambda g: paddle.to_tensor(stored) * 2)

    handle = model.first.register_forward_post_hook(replace)
    cut = model(x)
    cut.mean().backward()
    found = [cut.numpy(), model.first.weight.grad is None, model.second.weight.grad.numpy()]
    handle.remove()
    model.clear_gradients()
    model.second.register_forward_pre_hook(pulled)
    model(x).mean().backward()
    return [*found, model.first.weight.grad.numpy(), model.first.bias.grad.numpy()]


@program
def wrapped_calls(paddle, np):
    """forward and step of one object are replaced by functions, and given back."""
    model, x, seen = _model(paddle, np), _input(paddle, np), []
    model.eval()
    optimizer = paddle.optimizer.SGD(learning_rate=0.5, parameters=model.parameters())
    forward, step = model.forward, optimizer.step

    @functools.wraps(forward)
    def tracked(*args, **kwargs):
        seen.append([len(args), sorted(kwargs)])
        return forward(*args, **kwargs)

    @functools.wraps(step)
    def counted():
        step()
        seen.append(model.first.weight.grad.numpy())

    model.forward, optimizer.step = tracked, counted
    model.captured_by = "a tool"
    for _ in range(2):
        model(x, scale=0.5).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    model.forward = forward
    last = model(x=x)
    return [seen, last.numpy(), hasattr(model, "captured_by"), tracked.__name__]


@program
def an_exception_of_a_hook_ends_the_call(paddle, np):
    """A guard ends a program at its second call by an exception of a pre-hook; hooks can go."""

    class Enough(Exception):
        pass

    model, x, calls = _model(paddle, np), _input(paddle, np), []

    def limit(layer, given):
        if calls:
            raise Enough
        calls.append(1)

    handle = model.register_forward_pre_hook(limit)
    model(x)
    try:
        model(x)
        ended = False
    except Enough:
        ended = True
    handle.remove()
    return [ended, len(calls), list(model(x).shape)]
