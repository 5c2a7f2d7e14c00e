"""FloatTensor, LongTensor and the like: new tensors of a dtype, from a shape or from data."""

from jaxeager.ops.creation import creation
from jaxeager.tensor import Tensor, to_tensor


def _typed(name: str, dtype: str) -> type:
    def make(cls, *args, device=None) -> Tensor:
        if all(type(arg) is int for arg in args):
            made = creation.empty(list(args) or [0], dtype)
            return made if device is None else to_tensor(made, place=device)
        return to_tensor(*args, dtype=dtype, place=device)

    doc = (
        f"Make a {dtype} tensor from data, or from a shape when the arguments are ints.\n\n"
        "    A class, as in Paddle, that returns Tensors, not instances of itself.\n\n"
        "    Args:\n        *args: nested lists, an array or a tensor; or the sizes, and then the\n"
        "            values are those of ``paddle.empty``; nothing for no elements.\n"
        "        device: the device of the tensor; the current device by default.\n\n"
        "    Example:\n        >>> import jaxeager as paddle\n"
        f"        >>> paddle.{name}([1, 0]).dtype, paddle.{name}(2, 3).shape\n"
        f"        (paddle.{dtype}, paddle.Size([2, 3]))\n    "
    )
    return type(name, (), {"__new__": make, "__doc__": doc, "__module__": __name__})


FloatTensor = _typed("FloatTensor", "float32")
DoubleTensor = _typed("DoubleTensor", "float64")
HalfTensor = _typed("HalfTensor", "float16")
BFloat16Tensor = _typed("BFloat16Tensor", "bfloat16")
ByteTensor = _typed("ByteTensor", "uint8")
CharTensor = _typed("CharTensor", "int8")
ShortTensor = _typed("ShortTensor", "int16")
IntTensor = _typed("IntTensor", "int32")
LongTensor = _typed("LongTensor", "int64")
BoolTensor = _typed("BoolTensor", "bool")
