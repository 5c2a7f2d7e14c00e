"""Sizes as tensors in whole graphs: joined, cast, written, for inputs with open sizes."""

from ..probe import array
from ..registry import program


@program
def sizes_in_a_whole_graph(paddle, np):
    def cast(x):
        return paddle.cast(x.shape[0], "float32") * x

    def joined(x):
        shape = paddle.shape(x)
        return x.reshape(paddle.concat([shape[1:], paddle.to_tensor([1]), shape[:1]]))

    def stacked(x):
        shape = paddle.shape(x)
        return paddle.zeros(paddle.stack([shape[1], shape[0]]))

    def written(x):
        shape = paddle.shape(x)
        shape[0] = 3
        shape[1] = 2
        return x.reshape(shape)

    def replaced(x):
        shape = paddle.to_tensor([2, 3])
        shape[0] = 1
        shape[1] = 6
        return x.reshape(shape)

    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    spec = [paddle.static.InputSpec([None, 3], name="x")]
    return [
        array(paddle.jit.to_static(each, input_spec=spec, full_graph=True)(x))
        for each in (cast, joined, stacked, written, replaced)
    ]
