"""Programs whose backward raises: python error_programs.py LIBRARY prints what each level says."""

import importlib
import json
import sys
import traceback


def stale(paddle):
    """A saved tensor that is written in place before backward."""
    x = paddle.ones([4, 2, 3])
    x.stop_gradient = False
    y = x**2
    z = y**2
    y[1:2] = 3.3
    (z + y**2).sum().backward()


def a_second_backward(paddle):
    """A graph that was released."""
    x = paddle.ones([2])
    x.stop_gradient = False
    y = (x * x).sum()
    y.backward()
    y.backward()


def layer(paddle, forward, backward):
    """A PyLayer of two functions."""
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Inner", (paddle.autograd.PyLayer,), methods)


def a_pylayer(paddle):
    """An op that fails in PyLayer.backward."""

    def forward(ctx, x):
        return x * 2

    def backward(ctx, grad):
        return paddle.matmul(grad, paddle.ones([7, 7]))

    x = paddle.ones([2, 3])
    x.stop_gradient = False
    layer(paddle, forward, backward).apply(x).sum().backward()


def nested_pylayers(paddle):
    """The same behind a backward inside a backward."""

    def inner_backward(ctx, grad):
        return paddle.matmul(grad, paddle.ones([7, 7]))

    inner = layer(paddle, lambda ctx, x: x * 2, inner_backward)

    class Outer(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            with paddle.enable_grad():
                x = x.detach()
                x.stop_gradient = False
                y = inner.apply(x + 1)
            ctx.x, ctx.y = x, y
            return y.detach()

        @staticmethod
        def backward(ctx, grad):
            (found,) = paddle.grad([ctx.y], [ctx.x], [grad])
            return found

    x = paddle.ones([2, 3])
    x.stop_gradient = False
    z = Outer.apply(x)
    z.sum().backward()


def a_wrong_count(paddle):
    """A PyLayer that returns too much."""

    def backward(ctx, grad):
        return grad, grad

    x = paddle.ones([2, 3])
    x.stop_gradient = False
    layer(paddle, lambda ctx, x: x * 2, backward).apply(x).sum().backward()


def a_forward_error(paddle):
    """Shapes that do not fit."""
    paddle.matmul(paddle.ones([2, 3]), paddle.ones([4, 5]))


PROGRAMS = (stale, a_second_backward, a_pylayer, nested_pylayers, a_wrong_count, a_forward_error)


def main(library):
    """Prints the texts as JSON: per program and level."""
    paddle = importlib.import_module(library)
    found = {}
    for level in (-1, 0, 1, 2, 3, 7):
        paddle.set_flags({"FLAGS_call_stack_level": level})
        for program in PROGRAMS:
            try:
                program(paddle)
            except Exception as error:
                found[f"{program.__name__} at {level}"] = {
                    "text": str(error),
                    "bases": [each.__name__ for each in type(error).__mro__],
                    "traceback": traceback.format_exc(),
                }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
