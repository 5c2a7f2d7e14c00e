"""paddle.fft: values, gradients, node names, sizes, norms, dtypes, errors."""

from ..probe import array, attempt, facts, graph, leaf, pull, refuses
from ..registry import CRASHES, differs, program

PLAIN = ("fft", "ifft")
HALVES = ("rfft", "ihfft")
WHOLES = ("irfft", "hfft")
NORMS = ("backward", "ortho", "forward")


def _real(np, *shape, dtype="float64"):
    return np.random.default_rng(5).normal(size=shape).astype(dtype)


def _complex(np, *shape, dtype="complex128"):
    r = np.random.default_rng(6)
    return (r.normal(size=shape) + 1j * r.normal(size=shape)).astype(dtype)


def _both(paddle, np, call, value):
    """Returns what a call gives, its graph, and the gradient of its operand."""
    x = leaf(paddle, value)
    y = call(x)
    out = [y.numpy(), str(y.dtype), graph(y)]
    _pull_any(paddle, np, y)
    return [*out, array(x.grad)]


def _pull_any(paddle, np, y):
    """Runs backward with a complex seed, for complex outputs."""
    if not str(y.dtype).endswith(("complex64", "complex128")):
        pull(paddle, np, y)
        return
    seed = _complex(np, *y.shape, dtype=str(y.dtype).rpartition(".")[2])
    y.backward(paddle.to_tensor(seed))


@program
def fft_one_axis(paddle, np):
    """fft and ifft of real and complex numbers: norms, axes, cropped and padded."""
    out = {}
    for name in PLAIN:
        function = getattr(paddle.fft, name)
        for value in (_real(np, 3, 4), _complex(np, 3, 4)):
            for given in (
                {}, {"n": 6}, {"n": 3}, {"axis": 0, "norm": "ortho"}, {"n": 5, "axis": 0},
                {"norm": "forward"}, {"axis": None},
            ):  # fmt: skip
                key = f"{name} {value.dtype} {given}"
                out[key] = _both(paddle, np, lambda x, f=function, g=given: f(x, **g), value)
    return out


@program
def fft_halves(paddle, np):
    """rfft and ihfft: one side of the spectrum, of odd and even sizes."""
    out = {}
    for name in HALVES:
        function = getattr(paddle.fft, name)
        for given in (
            *({"norm": norm} for norm in NORMS), {"n": 4}, {"n": 7}, {"axis": 0}, {"n": 1},
            {"n": 2, "axis": -2, "norm": "ortho"},
        ):  # fmt: skip
            out[f"{name} {given}"] = _both(
                paddle, np, lambda x, f=function, g=given: f(x, **g), _real(np, 3, 5)
            )
    return out


@program
def fft_wholes(paddle, np):
    """irfft and hfft: the gradient is doubled where a frequency stands for two."""
    out = {}
    for name in WHOLES:
        function = getattr(paddle.fft, name)
        for value in (_complex(np, 2, 4), _real(np, 2, 4)):
            for given in (
                *({"norm": norm} for norm in NORMS), {"n": 6}, {"n": 7}, {"n": 4}, {"n": 9},
                {"n": 3, "axis": 0}, {"n": 1}, {"n": 2, "norm": "ortho"},
            ):  # fmt: skip
                key = f"{name} {value.dtype} {given}"
                out[key] = _both(paddle, np, lambda x, f=function, g=given: f(x, **g), value)
    return out


@program
def fft_two_axes(paddle, np):
    """The six transforms over two axes."""
    out = {}
    for name in (*PLAIN, *HALVES, *WHOLES):
        function = getattr(paddle.fft, f"{name}2")
        value = _complex(np, 2, 3, 4) if name in (*PLAIN, *WHOLES) else _real(np, 2, 3, 4)
        for given in (
            {}, {"s": [4, 5]}, {"s": (2, 6), "norm": "ortho"}, {"axes": [0, 1]},
            {"axes": (-1, 0), "s": [3, 3], "norm": "forward"},
        ):  # fmt: skip
            out[f"{name}2 {given}"] = _both(
                paddle, np, lambda x, f=function, g=given: f(x, **g), value
            )
    return out


@program
def fft_many_axes(paddle, np):
    """The six transforms over any number of axes, four among them."""
    out = {}
    for name in (*PLAIN, *HALVES, *WHOLES):
        function = getattr(paddle.fft, f"{name}n")
        shape = (2, 3, 2, 3)
        value = _real(np, *shape) if name in HALVES else _complex(np, *shape)
        for given in (
            {}, {"s": [4]}, {"s": (2, 3, 4), "axes": (2, 0, 1)}, {"axes": [1]},
            {"axes": (3, 1, 0), "norm": "ortho"},
        ):  # fmt: skip
            out[f"{name}n {given}"] = _both(
                paddle, np, lambda x, f=function, g=given: f(x, **g), value
            )
    return out


@program
def fft_dtypes(paddle, np):
    """Which dtype comes out: float32 gives complex64, integers the default dtype."""
    out = {}
    for name in (*PLAIN, *HALVES, "fftn"):
        for dtype in ("float32", "float64", "int32", "int64", "int8", "uint8"):
            x = paddle.to_tensor(np.arange(6).reshape(2, 3).astype(dtype))
            out[f"{name} {dtype}"] = [facts(getattr(paddle.fft, name)(x)), array(
                getattr(paddle.fft, name)(x))]  # fmt: skip
    for name in (*PLAIN, *WHOLES, "irfftn"):
        for dtype in ("complex64", "complex128"):
            x = paddle.to_tensor(np.arange(6).reshape(2, 3).astype(dtype))
            out[f"{name} {dtype}"] = str(getattr(paddle.fft, name)(x).dtype)
    paddle.set_default_dtype("float64")
    out["default"] = str(paddle.fft.rfft(paddle.arange(4)).dtype)
    return out


@program
def fft_zero_size(paddle, np):
    """No signals, and signals of no points."""
    none = paddle.zeros([0, 3])
    out = {name: array(getattr(paddle.fft, name)(none)) for name in (*PLAIN, *HALVES, *WHOLES)}
    empty = paddle.zeros([3, 0])
    out["fft"] = array(paddle.fft.fft(empty))
    out["padded"] = array(paddle.fft.fft(empty, n=4))
    out["half"] = array(paddle.fft.rfft(empty))
    out["one frequency"] = array(paddle.fft.irfft(paddle.ones([2, 1])))
    out["fft2"] = array(paddle.fft.fft2(none))
    return out


@program
def fft_round_trips(paddle, np):
    """What one transform does the other undoes, and the gradient goes through both."""
    out = {}
    for norm in NORMS:
        x = leaf(paddle, _real(np, 3, 7))
        y = paddle.fft.irfft(paddle.fft.rfft(x, norm=norm), n=7, norm=norm)
        z = paddle.fft.ihfft(paddle.fft.hfft(paddle.fft.fft(x), n=7, norm=norm), norm=norm)
        pull(paddle, np, y)
        out[norm] = [y.numpy(), array(x.grad), z.numpy()]
    return out


@program
def fft_frequencies(paddle, np):
    """fftfreq and rfftfreq."""
    out = {}
    for n in (1, 4, 5, -3):
        out[n] = [array(paddle.fft.fftfreq(n)), array(paddle.fft.rfftfreq(n, 0.5))]
    out["float64"] = array(paddle.fft.fftfreq(5, 0.1, dtype="float64"))
    out["integers"] = array(paddle.fft.rfftfreq(5, dtype="int64"))
    watched = paddle.fft.fftfreq(4, requires_grad=True)
    out["watched"] = facts(watched)
    target = paddle.zeros([4])
    out["out"] = [array(paddle.fft.fftfreq(4, out=target)), array(target)]
    return out


@program
def fft_shifts(paddle, np):
    """fftshift and ifftshift over all axes."""
    out = {}
    for value in (_real(np, 2, 3), _complex(np, 3, 4)):
        for name in ("fftshift", "ifftshift"):
            out[f"{name} {value.dtype}"] = _both(paddle, np, getattr(paddle.fft, name), value)
    out["empty"] = array(paddle.fft.fftshift(paddle.zeros([0, 3])))
    out["axis"] = attempt(lambda: paddle.fft.fftshift(paddle.ones([2]), axes=[1]))["error"]
    return out


@differs(
    "Paddle hands the shifts on as a 0-D tensor, or one of one element, which its roll refuses",
    right=[[1.0, 2.0, 0.0], [2.0, 0.0, 1.0], [4.0, 3.0, 0.0, 1.0, 2.0]],
    paddle_gives={"error": "SystemError"},
)
def fft_shift_of_one_axis(paddle, np):
    """fftshift over one axis."""

    def shifts():
        x = paddle.arange(3, dtype="float32")
        return [
            paddle.fft.ifftshift(x, axes=0).tolist(),
            paddle.fft.fftshift(x, axes=[0]).tolist(),
            paddle.fft.fftshift(paddle.to_tensor([0.0, 1.0, 2.0, 4.0, 3.0])).tolist(),
        ]

    found = attempt(shifts)
    return {"error": found["error"]} if isinstance(found, dict) else found


@differs(
    "Paddle casts the integers to no complex dtype, and then has no kernel for them",
    right=[8.0, -2.0, 0.0, -2.0],
    paddle_gives={"error": "RuntimeError"},
)
def fft_irfft_of_integers(paddle, np):
    """irfft of integers, which the documentation takes."""
    found = attempt(lambda: (paddle.fft.irfft(paddle.to_tensor([1, 2, 3])) * 4).tolist())
    return {"error": found["error"]} if isinstance(found, dict) else found


@differs(
    "a library under Paddle throws where nothing catches",
    right="differ from each other",
    paddle_gives=CRASHES,
)
def fft_repeated_axes(paddle, np):
    """One axis named twice."""
    found = attempt(lambda: paddle.fft.fftn(paddle.ones([2, 3], "complex64"), axes=[1, -1]))
    return "differ from each other" if "differ from each other" in found["text"] else found


@program
def fft_other_names(paddle, np):
    """The newer names of the parameters, and ``out``."""
    x = paddle.to_tensor(_real(np, 2, 3))
    target = paddle.zeros([2, 3], "complex128")
    return {
        "input": array(paddle.fft.fft(input=x, dim=0)),
        "axes": array(paddle.fft.rfftn(input=x, dim=[0])),
        "shift": array(paddle.fft.fftshift(input=x)),
        "twice": refuses(lambda: paddle.fft.fft(x, input=x))["error"],
        "out": [array(paddle.fft.fft(x, out=target)), array(target)],
    }


@program
def fft_refused(paddle, np):
    """What does not fit raises."""
    f, x, z = paddle.fft, paddle.ones([2, 3]), paddle.ones([2, 3], "complex64")
    calls = {
        "norm": lambda: f.fft(x, norm="none"), "n": lambda: f.fft(x, n=0),
        "float n": lambda: f.rfft(x, n=2.5), "axis": lambda: f.ifft(x, axis=2),
        "float axis": lambda: f.fft(x, axis=1.0), "s": lambda: f.fftn(x, s=[1, 2, 3]),
        "s of ints": lambda: f.fftn(x, s=[0, 3]), "int s": lambda: f.fftn(x, s=3),
        "axes": lambda: f.fftn(x, axes=[0, 1, 0]), "far axes": lambda: f.irfftn(x, axes=[0, 5]),
        "int axes": lambda: f.fftn(x, axes=1), "lengths": lambda: f.fftn(x, s=[2], axes=[0, 1]),
        "a vector": lambda: f.fft2(x[0]), "s of one": lambda: f.rfft2(x, s=[1]),
        "axes of one": lambda: f.fft2(x, axes=[1]), "no n": lambda: f.fftfreq(0),
        "no d": lambda: f.rfftfreq(4, 0.0), "no points": lambda: f.irfft(z[:, :0]),
        "0-D": lambda: f.fft(paddle.to_tensor(2.0)),
    }  # fmt: skip
    return {name: refuses(call)["error"] for name, call in calls.items()}
