"""Casts as methods, tensors made like another one, constants and dtypes of the top level."""

import math
import operator

from ..probe import attempt, facts, leaf, refuses
from ..registry import differs, program

CASTS = (
    "bool byte char short int long half float double bfloat16 cfloat cdouble float16 float32 "
    "float64 int8 int16 int32 int64 uint8 complex64 complex128"
).split()


@program
def casts_as_methods(paddle, np):
    """Every one of them: dtype, value, identity, gradient."""
    out = {}
    for name in CASTS:
        x = leaf(paddle, [0.0, 1.5, 2.75])
        y = getattr(x, name)()
        out[name] = [str(y.dtype), y is x, y.stop_gradient, y.is_leaf]
        if name not in ("bfloat16",):
            out[name].append(y.numpy())
        if y.is_floating_point():
            (y * 2).sum().backward()
            out[name].append(x.grad.numpy())
    integers = paddle.to_tensor([1, 2])
    out["same"] = [integers.long() is integers, integers.int() is integers]
    return out


@program
def type_as_of_tensors(paddle, np):
    """type_as: value, gradient, identity."""
    x = leaf(paddle, [1.5, 2.5])
    y = x.type_as(paddle.ones([1], "float64"))
    (y * y).sum().backward()
    return {
        "other": [facts(y), y.numpy(), x.grad.numpy()],
        "same": x.type_as(paddle.ones([3])) is x,
        "integers": x.type_as(paddle.to_tensor([1])).numpy(),
    }


@program
def tensors_made_like_others(paddle, np):
    """new_zeros, new_ones, new_full, new_empty: shapes, dtypes, gradients, errors."""
    x, whole = paddle.ones([2], "float64"), paddle.ones([2], "int32")
    out = {}
    for name in ("new_zeros", "new_ones", "new_empty"):
        make = getattr(x, name)
        empty = name == "new_empty"
        made = [make([2, 3]), make((2,), dtype="int32"), make(2, 3), make(4)]
        made += [make(paddle.to_tensor([2, 1])), make(size=[1]), make([2], device="cpu")]
        out[name] = {
            "facts": [facts(each) for each in made],
            "values": [] if empty else [each.numpy() for each in made],
            "wanted": make([2], requires_grad=True).stop_gradient,
            "integers": getattr(whole, name)([2]).dtype == paddle.int32,
            "pinned": attempt(lambda make=make: make([2], pin_memory=True)),
            "negative": refuses(lambda make=make: make([-2])),
            "by position": refuses(lambda make=make: make([2], "int32"))["error"],
        }
    out["new_full"] = {
        "cut": whole.new_full([2], 2.7).numpy(),
        "tensor": whole.new_full([2], paddle.to_tensor(3.0)).numpy(),
        "dtype": whole.new_full([2], 2.5, dtype="float64").numpy(),
        "truth": x.new_full([2], True).numpy(),
        "wanted": x.new_full([2], 2.5, requires_grad=True).stop_gradient,
    }
    return out


@program
def constants_and_dtypes(paddle, np):
    """Numbers and dtype names of the top level."""
    names = "float double half cfloat cdouble int long short".split()
    return {
        "numbers": [paddle.e == math.e, paddle.pi == math.pi, paddle.inf, math.isnan(paddle.nan)],
        "newaxis": paddle.newaxis,
        "dtypes": [str(getattr(paddle, name)) for name in names],
        "used": [
            str(paddle.ones([1], paddle.double).dtype),
            str(paddle.ones([1]).astype(paddle.half).dtype),
        ],
    }


@program
def typed_tensors(paddle, np):
    """FloatTensor and its kin, of a shape, of data, of nothing."""
    kinds = "Float Double Half BFloat16 Byte Char Short Int Long Bool".split()
    out = {}
    for kind in kinds:
        make = getattr(paddle, f"{kind}Tensor")
        out[kind] = [facts(make([1, 0])), facts(make(2, 3)), facts(make())]
        if kind != "BFloat16":
            out[kind].append(make([1, 0]).numpy())
    out["nested"] = paddle.FloatTensor([[1, 2]]).numpy()
    out["tuple"] = paddle.FloatTensor((2.5, 3.5)).numpy()
    out["class"] = type(paddle.FloatTensor([1.0])) is paddle.Tensor
    return out


@differs(
    "an array or a tensor keeps its dtype, whatever the name of the class says",
    right=["paddle.float32", "paddle.float32"],
    paddle_gives=["paddle.float64", "paddle.int64"],
)
def typed_tensors_of_arrays(paddle, np):
    """FloatTensor of a float64 array and of an int64 tensor."""
    made = [paddle.FloatTensor(np.ones(2)), paddle.FloatTensor(paddle.to_tensor([1, 2]))]
    return [str(each.dtype) for each in made]


@program
def sizes(paddle, np):
    """paddle.Size: a list of ints that equals a tuple too."""
    size, sum_of = paddle.Size([2, 3]), operator.add
    grown = paddle.Size([1, 2])
    grown.append(5)
    return {
        "values": [list(size), size == (2, 3), size == [2, 3], size != (2, 4), size.numel()],
        "kinds": [
            isinstance(paddle.ones([1]).shape, paddle.Size),
            isinstance(size, list),
            isinstance(sum_of(size, [4]), paddle.Size),
            isinstance(sum_of([4], size), paddle.Size),
            isinstance(size[:1], paddle.Size),
            isinstance(size * 2, paddle.Size),
            isinstance(2 * size, paddle.Size),
        ],
        "sums": [
            list(sum_of(size, (4,))),
            list(sum_of([4], size)),
            list(sum_of((4,), size)),
            list(2 * size),
        ],
        "empty": [list(paddle.Size()), paddle.Size().numel()],
        "tensors": list(paddle.Size([paddle.to_tensor(2)])),
        "grown": list(grown),
        "fraction": attempt(lambda: paddle.Size([2.5])),
        "text": attempt(lambda: paddle.Size("ab")),
        "hash": attempt(lambda: hash(size))["error"],
    }


@program
def floats_next_to_a_complex_first_operand(paddle, np):
    """Ops that promote nothing else take a real tensor next to a complex first one."""
    found = []
    for first, second in (("complex64", "float32"), ("complex128", "float32")):
        x = leaf(paddle, np.array([1 + 2j, 3 - 1j], first))
        y = leaf(paddle, np.array([0.5, -2.0], second))
        i = paddle.to_tensor([0])
        made = [
            paddle.stack([x, y]), paddle.add_n([x, y]), paddle.index_put(x, (i,), y[:1]),
            paddle.index_put(x, (i,), y[:1], True), paddle.index_fill(x, i, 0, y[0]),
            paddle.diagonal_scatter(paddle.stack([x, x]), y),
            paddle.linalg.triangular_solve(paddle.stack([x, x * 2]), paddle.stack([y, y])),
        ]  # fmt: skip
        found += [[str(each.dtype), each.numpy()] for each in made]
    return found
