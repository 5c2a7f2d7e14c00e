"""Ops on large tensors, forward and backward, against Paddle: the time is in the kernel.

The other parts measure models and small calls. An op whose kernel is slow on a CPU hides in them
until a program depends on it.
"""

import time
from collections.abc import Callable
from functools import cache

import numpy as np

from . import peers
from .timing import Row, compare, interleave

PART = "large ops"
TARGET = 2  # an op that takes longer than this times Paddle's has a kernel to look at


@cache
def paddle_ops(paddle) -> dict[str, tuple]:
    """Return, by name, a function and its operands, for a library with Paddle's names."""
    F, rng = paddle.nn.functional, np.random.default_rng(5)

    def leaf(*shape):
        array = rng.normal(size=shape).astype("float32")
        return paddle.to_tensor(array, stop_gradient=False)

    def below(limit, *shape):
        return paddle.to_tensor(rng.integers(0, limit, shape))

    x, y = leaf(256, 1024), leaf(256, 1024)
    images, volumes = leaf(8, 32, 64, 64), leaf(4, 8, 16, 32, 32)
    square = paddle.to_tensor(np.eye(64, dtype="float32") * 8 + rng.uniform(size=(16, 64, 64)))
    square = square.astype("float32").detach()
    square.stop_gradient = False
    rows, labels, ids = below(256, 512), below(1024, 256), below(10000, 64, 500)

    def convolution(image, filter, **settings):
        return lambda a, w: F.conv2d(a, w, **settings), leaf(*image), leaf(*filter)

    def transposed(image, filter, **settings):
        return lambda a, w: F.conv2d_transpose(a, w, **settings), leaf(*image), leaf(*filter)

    def slopes(a, w):
        (slope,) = paddle.grad(F.silu(F.conv2d(a, w, padding=1)).sum(), [a], create_graph=True)
        return slope

    return {
        "exp": (paddle.exp, x),
        "gelu": (F.gelu, x),
        "add": (paddle.add, x, y),
        "sum of rows": (lambda a: a.sum(1), x),
        "cumsum": (lambda a: paddle.cumsum(a, 1), x),
        "logcumsumexp": (lambda a: paddle.logcumsumexp(a, 1), x),
        "cummax": (lambda a: paddle.cummax(a, 1)[0], x),
        "logsumexp": (lambda a: paddle.logsumexp(a, 1), x),
        "softmax": (F.softmax, x),
        "layer_norm": (lambda a: F.layer_norm(a, 1024), x),
        "cross_entropy": (F.cross_entropy, x, labels),
        "matmul": (lambda a, b: paddle.matmul(a, b, transpose_y=True), x, y),
        "sort": (lambda a: paddle.sort(a, 1), x),
        "argsort of ids": (lambda a: paddle.argsort(a, 1), ids),
        "topk": (lambda a: paddle.topk(a, 10)[0], x),
        "median": (lambda a: paddle.median(a, 1), x),
        "argmax": (lambda a: paddle.argmax(a, 1), x),
        "gather of rows": (paddle.gather, x, rows),
        "embedding": (F.embedding, ids, leaf(10000, 64)),
        "concat": (lambda a, b: paddle.concat([a, b], 1), x, y),
        "transpose": (lambda a: paddle.transpose(a, [0, 2, 3, 1]) + 0, images),
        "inv": (paddle.linalg.inv, square),
        "cholesky": (lambda a: paddle.linalg.cholesky(a @ a.transpose([0, 2, 1])), square),
        "conv2d 3x3": convolution((8, 32, 32, 32), (32, 32, 3, 3), padding=1),
        "conv2d of 3 channels": convolution((8, 3, 64, 64), (32, 3, 3, 3), padding=1),
        "conv2d depthwise": convolution((4, 64, 28, 28), (64, 1, 7, 7), padding=3, groups=64),
        "conv2d in 32 groups": convolution((4, 128, 28, 28), (128, 4, 3, 3), padding=1, groups=32),
        "conv2d of patches": convolution((8, 3, 224, 224), (192, 3, 16, 16), stride=16),
        "conv2d, stride 2": convolution((4, 64, 65, 65), (128, 64, 3, 3), stride=2),
        "conv3d": (lambda a, w: F.conv3d(a, w, padding=1), volumes, leaf(16, 8, 3, 3, 3)),
        "conv2d_transpose": transposed((8, 64, 16, 16), (64, 32, 4, 4), stride=2, padding=1),
        "conv2d_transpose 2x2": transposed((8, 128, 8, 8), (128, 64, 2, 2), stride=2),
        "slope of conv2d": (slopes, leaf(8, 32, 32, 32), leaf(32, 32, 3, 3)),
        "max_pool2d": (lambda a: F.max_pool2d(a, 2), images),
        "max_pool2d with mask": (lambda a: F.max_pool2d(a, 3, 2, 1, return_mask=True)[0], images),
        "avg_pool2d": (lambda a: F.avg_pool2d(a, 3, 2, 1), images),
        "adaptive_max_pool2d": (lambda a: F.adaptive_max_pool2d(a, 1), images),
        "interpolate": (lambda a: F.interpolate(a, size=[96, 96], mode="bilinear"), images),
        "unfold": (lambda a: F.unfold(a, 3, 1, 1), images),
        "group_norm": (lambda a: F.group_norm(a, 4), images),
        "fft": (lambda a: paddle.abs(paddle.fft.rfft(a)), x),
    }


@cache
def step_of(paddle, name: str) -> Callable[[], None]:
    """Return a function that runs an op forward and, if it is differentiable, backward."""
    function, *operands = paddle_ops(paddle)[name]
    leaves = [each for each in operands if not each.stop_gradient]

    def run():
        out = function(*operands)
        if out.stop_gradient:
            out.numpy()
            return
        for grad in paddle.grad(out, leaves, out.detach(), allow_unused=True):
            grad.numpy()

    for _ in range(3):  # after these nothing is compiled any more
        run()
    return run


def seconds(paddle, name: str) -> dict:
    """Return the seconds of one op of a library."""
    run = step_of(paddle, name)
    started = time.perf_counter()
    run()
    return {"seconds": time.perf_counter() - started}


def names() -> list[str]:
    """Return the names of the ops."""
    import jaxeager

    return list(paddle_ops(jaxeager))


def measure(repeats: int) -> list[Row]:
    """Return a row for each op."""
    running, missing = peers.start(["jaxeager", "paddle"])
    if missing:
        return [Row(PART, "all", peers.TITLES[name], note=why) for name, why in missing.items()]
    try:
        return [_row_of(name, running, repeats) for name in names()]
    finally:
        for peer in running.values():
            peer.close()


def _row_of(name: str, running: dict, repeats: int) -> Row:
    contenders = {
        library: lambda peer=peer: peer.ask("within", where="large_ops.seconds", name=name)[
            "seconds"
        ]
        for library, peer in running.items()
    }
    took = interleave(name, contenders, repeats)
    ours, other = took["jaxeager"], took["paddle"]
    return compare(PART, name, running["paddle"].title, ours, other, target=TARGET)
