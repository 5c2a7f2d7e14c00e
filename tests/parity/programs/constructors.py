"""Tensor(...) and EagerParamBase(...): values, shapes and what is refused."""

from ..probe import error_of
from ..registry import program


def _shown(tensor, values=True):
    """Return what can be compared: a tensor made of a shape has any values."""
    facts = [str(tensor.dtype), list(tensor.shape), tensor.stop_gradient]
    return [*facts, tensor.numpy().tolist()] if values else facts


@program
def tensors_of_values(paddle, np):
    """A list is of float32, whatever is in it; arrays and Tensors keep their dtype."""
    array, place = np.array([1, 2]), paddle.CPUPlace()
    made = [
        paddle.Tensor(), paddle.Tensor([1, 2]), paddle.Tensor((1, 2)), paddle.Tensor([[1, 2]]),
        paddle.Tensor([]), paddle.Tensor([True, False]), paddle.Tensor([np.float64(1.5)]),
        paddle.Tensor([paddle.to_tensor(1), paddle.to_tensor(2)]), paddle.Tensor(data=[1]),
        paddle.Tensor([1], place=place), paddle.Tensor([1], device="cpu"),
        paddle.Tensor(array), paddle.Tensor(np.array(3)), paddle.Tensor(np.array([1.0])),
        paddle.Tensor(paddle.to_tensor([1, 2])), paddle.Tensor(array, place),
        paddle.Tensor(value=array, place=place), paddle.Tensor(array, stop_gradient=False),
        paddle.Tensor(array, place, False, False, "given", False),
        paddle.Tensor(paddle.to_tensor([1.0], stop_gradient=False)),
    ]  # fmt: skip
    named = paddle.Tensor(value=array, name="a_name", persistable=True)
    return [[_shown(each) for each in made], named.name, named.persistable, made[-2].name]


@program
def tensors_of_a_shape(paddle, np):
    """Ints are sizes; a float, text and a NumPy number are refused."""
    made = [paddle.Tensor(2, 3), paddle.Tensor(3), paddle.Tensor(0), paddle.Tensor(2, 0)]
    bad = [(2.5,), ("a",), (np.float32(3),), (-1,)]
    return [
        [_shown(each, values=False) for each in made],
        [error_of(lambda each=each: paddle.Tensor(*each)) in ("ValueError", "TypeError")
         for each in bad],
    ]  # fmt: skip


@program
def parameters_of_a_shape(paddle, np):
    """EagerParamBase takes a shape and a dtype, or a Tensor, whose memory it shares."""
    kind, x = paddle.base.framework.EagerParamBase, paddle.to_tensor([1.0, 2.0])
    made = [
        kind([3, 2], "float32"), kind(shape=[3, 2], dtype="float64"), kind([1], paddle.float32),
        kind([1], "float32", trainable=False), kind([], "float32"), kind(None, "float32"),
    ]  # fmt: skip
    shared = [
        kind(x), kind.from_tensor(x, trainable=False), paddle.nn.Parameter(x, False),
        paddle.nn.Parameter(data=x, requires_grad=False),
    ]  # fmt: skip
    with paddle.no_grad():
        shared[0][0] = 5.0
    refused = [lambda: kind([-1], "float32"), lambda: kind([2]), lambda: paddle.nn.Parameter([2])]
    return [
        [_shown(each, values=False) for each in made],
        [_shown(each) for each in shared],
        x.tolist(),
        kind([1], "float32", name="given").name,
        [error_of(each) for each in refused],
    ]
