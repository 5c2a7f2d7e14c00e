"""What a tensor is: making one, reading it, its flags, its text."""

from ..probe import attempt, facts, leaf
from ..registry import program


@program
def making_tensors(paddle, np):
    """to_tensor from Python and NumPy values picks Paddle's dtypes."""
    values = {
        "float": 1.5,
        "int": 3,
        "bool": True,
        "complex": 1 + 2j,
        "floats": [1.0, 2.5],
        "ints": [[1, 2], [3, 4]],
        "mixed": [1, 2.5],
        "bools": [True, False],
        "tuple": (1, 2),
        "empty": [],
        "f32": np.float32([1.0]),
        "f64": np.float64([1.0, 2.0]),
        "f16": np.float16([1.0]),
        "i8": np.int8([1]),
        "u8": np.uint8([[1]]),
        "i16": np.int16([1]),
        "i32": np.int32([1]),
        "c64": np.complex64([1j]),
        "0-D f64": np.array(2.0),
        "numpy scalar": np.float64(2.0),
        "numpy int": np.int32(2),
        "list of arrays": [np.float32([1.0]), np.float32([2.0])],
    }
    return {
        name: (facts(paddle.to_tensor(v)), paddle.to_tensor(v).numpy())
        for name, v in values.items()
    }


@program
def making_with_a_dtype(paddle, np):
    """to_tensor's dtype as text, as a dtype object and as NumPy's, from values of every kind."""
    out = {}
    for (
        dtype
    ) in "bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128".split():
        out[dtype] = paddle.to_tensor([0, 1, 2], dtype=dtype).numpy()
    out["object"] = paddle.to_tensor([1, 2], dtype=paddle.float64).numpy()
    out["numpy"] = paddle.to_tensor([1, 2], dtype=np.float32).numpy()
    out["bfloat16"] = str(paddle.to_tensor([1.0], dtype="bfloat16").dtype)
    out["from tensor"] = paddle.to_tensor(paddle.to_tensor([1, 2]), dtype="float32").numpy()
    out["default"] = str(paddle.to_tensor(1.0).dtype)
    paddle.set_default_dtype("float64")
    out["default 64"] = [str(paddle.to_tensor(v).dtype) for v in (1.0, 1, 1j)]
    out["name"] = paddle.get_default_dtype()
    paddle.set_default_dtype("float32")
    return out


@program
def attributes(paddle, np):
    """Shape, rank, size and flags as Python values."""
    x = leaf(paddle, np.arange(6, dtype="float32").reshape(2, 3))
    zero = paddle.to_tensor(2.5)
    return {
        "facts": facts(x),
        "shape is a list": isinstance(x.shape, list),
        "equal to a list": x.shape == [2, 3],
        "ndim": [x.ndim, x.dim(), zero.ndim],
        "size": [int(x.size), int(zero.size)],
        "numel": [x.numel().numpy(), str(x.numel().dtype)],
        "len": len(x),
        "T": x.T.numpy(),
        "persistable": x.persistable,
        "place": str(x.place),
        "dtype is": x.dtype == paddle.float32,
        "dtype differs": x.dtype == paddle.float64,
        "dtype text": [str(x.dtype), str(paddle.bool), str(paddle.bfloat16), str(paddle.complex64)],
        "item": [zero.item(), paddle.to_tensor(3).item(), paddle.to_tensor([True]).item()],
        "item at": x.item(4),
        "tolist": [x.tolist(), zero.tolist(), paddle.to_tensor([1, 2]).tolist()],
        "float": [float(zero), int(zero), bool(zero)],
        "iterate": [row.numpy() for row in x],
        "asarray": np.asarray(x),
        "hash": len({x, x, zero}),
        "none": [x == None, x != None],  # noqa: E711
    }


@program
def reading_errors(paddle, np):
    """Reading a value out of a tensor with several of them, the length of a 0-D one."""
    x = paddle.to_tensor([1.0, 2.0])
    return {
        "item": attempt(lambda: x.item()),
        "bool": attempt(lambda: bool(x)),
        "float": attempt(lambda: float(x)),
        "len": attempt(lambda: len(paddle.to_tensor(1.0))),
        "format": attempt(lambda: f"{x:.2f}"),
        "one": f"{paddle.to_tensor(3.14159):.2f}",
    }


@program
def flags_of_gradients(paddle, np):
    """stop_gradient, is_leaf and grad_fn as ops, no_grad, detach and clone leave them."""
    x = leaf(paddle, [1.0, 2.0])
    y = x * 2
    with paddle.no_grad():
        inside = x * 2
        made = paddle.to_tensor([1.0], stop_gradient=False)
        with paddle.enable_grad():
            again = x * 2
    return {
        "leaf": facts(x),
        "op": facts(y),
        "constant": facts(paddle.to_tensor([1.0]) * 2),
        "no_grad": facts(inside),
        "made inside": facts(made),
        "enable_grad": facts(again),
        "detach": facts(y.detach()),
        "clone": facts(y.clone()),
        "clone of constant": facts(paddle.to_tensor([1.0]).clone()),
        "comparison": facts(x > 1.5),
        "argmax": facts(paddle.argmax(x)),
        "to int": facts(x.astype("int32")),
        "zeros_like": facts(paddle.zeros_like(x)),
        "write is_leaf": attempt(lambda: setattr(y, "is_leaf", True))["error"],
        "bad flag": attempt(lambda: setattr(x, "stop_gradient", 1)),
    }


@program
def toggling_stop_gradient(paddle, np):
    """stop_gradient set on an intermediate cuts what is recorded after, not before."""
    x = leaf(paddle, [1.0, 2.0])
    y = x * 2
    z = y * 3
    y.stop_gradient = True
    cut = y * 5
    z.sum().backward()
    late = paddle.to_tensor([1.0])
    late.stop_gradient = False
    (late * 4).backward()
    return {
        "recorded before": x.grad.numpy(),
        "recorded after": facts(cut),
        "leaf kept": facts(y),
        "set on a constant": late.grad.numpy(),
    }


@program
def grad_mode(paddle, np):
    """no_grad, enable_grad and set_grad_enabled: as contexts, decorators and statements."""
    x = leaf(paddle, [1.0])
    seen = [paddle.is_grad_enabled()]

    @paddle.no_grad()
    def without():
        return paddle.is_grad_enabled(), (x * 2).stop_gradient

    seen.append(without())
    with paddle.set_grad_enabled(False):
        seen.append(paddle.is_grad_enabled())
        with paddle.enable_grad():
            seen.append(paddle.is_grad_enabled())
        seen.append((x * 2).stop_gradient)
    seen.append(paddle.is_grad_enabled())
    try:
        with paddle.no_grad():
            raise KeyError
    except KeyError:
        seen.append(paddle.is_grad_enabled())
    return {"seen": seen}


@program
def detach_and_clone(paddle, np):
    """A detached tensor shares values and version; a clone does not and passes gradients."""
    x = leaf(paddle, [1.0, 2.0])
    y = x * 2
    cut, copy = y.detach(), y.clone()
    cut.add_(paddle.to_tensor([10.0, 10.0]))
    copy.sum().backward()
    return {
        "shared": y.numpy(),
        "versions": [y.inplace_version, cut.inplace_version, copy.inplace_version],
        "copy": copy.numpy(),
        "gradient": x.grad.numpy(),
    }


@program
def casts(paddle, np):
    """astype and cast, values and gradients, between kinds of numbers."""
    x = leaf(paddle, np.float32([-1.7, 0.0, 2.5]))
    out = {}
    for dtype in "float64 float16 int32 int64 uint8 int8 bool complex64".split():
        out[dtype] = x.abs().astype(dtype).numpy()
    wide = x.astype("float64")
    (wide * wide).sum().backward()
    out["gradient"] = x.grad.numpy()
    out["node"] = wide.grad_fn.name()
    out["same dtype"] = paddle.cast(x, "float32").numpy()
    out["negative to int"] = x.astype("int32").numpy()
    return out


@program
def text_of_tensors(paddle, np):
    """repr of scalars, vectors, matrices, specials, empties and long tensors."""
    values = {
        "0-D": 3.0,
        "ints": [[1, 2], [3, 4]],
        "wide range": [1.5, 2e10, 3e-7],
        "specials": [float("nan"), float("inf"), -1.0],
        "whole": [1.0, -2.0],
        "bools": [True, False],
        "complex": [1 + 2j],
        "3-D": np.arange(8, dtype="float32").reshape(2, 2, 2),
        "fractions": np.float32([[0.1, -0.25], [100.5, 7.0]]),
        "empty": np.zeros([0], "float32"),
        "empty matrix": np.zeros([0, 3], "float32"),
        "long": np.ones(1001, "float32"),
        "long matrix": np.arange(2000, dtype="int64").reshape(40, 50),
        "float64": np.float64([1 / 3]),
        "int8": np.int8([-1, 100]),
    }
    out = {name: str(paddle.to_tensor(v)) for name, v in values.items()}
    out["repr"] = repr(leaf(paddle, [1.0])) == str(leaf(paddle, [1.0]))
    out["leaf"] = str(leaf(paddle, [1.0]))
    out["bfloat16"] = str(paddle.to_tensor([1.5, 2.0], dtype="bfloat16"))
    return out
