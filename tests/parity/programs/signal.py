"""paddle.signal: frames, stft and istft: values, gradients, graphs, dtypes, errors."""

from ..probe import array, attempt, facts, graph, leaf, pull, refuses
from ..registry import differs, program


def _draw(np, *shape):
    return np.random.default_rng(9).normal(size=shape)


def _pull_complex(paddle, np, y):
    r = np.random.default_rng(10)
    y.backward(paddle.to_tensor(r.normal(size=y.shape) - 1j * r.normal(size=y.shape)))


@program
def signal_frames(paddle, np):
    """frame along both axes: values, gradient, node."""
    out = {}
    for shape, length, hop, axis in (
        ((2, 8), 4, 3, -1), ((8, 2), 4, 3, 0), ((7,), 3, 1, -1), ((7,), 3, 2, 0),
        ((2, 3, 9), 9, 4, -1), ((9, 2, 3), 2, 4, 0),
    ):  # fmt: skip
        x = leaf(paddle, _draw(np, *shape))
        y = paddle.signal.frame(x, length, hop, axis)
        pull(paddle, np, y)
        out[f"{shape} {length} {hop} {axis}"] = [y.numpy(), facts(y), array(x.grad)]
    for dtype in ("int32", "int64", "float32", "complex64"):
        out[dtype] = array(paddle.signal.frame(paddle.arange(5).astype(dtype), 3, 1))
    return out


@program
def signal_overlap_adds(paddle, np):
    """overlap_add along both axes: values, gradient, node."""
    out = {}
    for shape, hop, axis in (
        ((3, 4), 2, -1), ((3, 4), 2, 0), ((2, 3, 4), 3, -1), ((4, 3, 2), 1, 0), ((3, 1), 3, -1),
    ):  # fmt: skip
        x = leaf(paddle, _draw(np, *shape))
        y = paddle.signal.overlap_add(x, hop, axis)
        pull(paddle, np, y)
        out[f"{shape} {hop} {axis}"] = [y.numpy(), facts(y), array(x.grad)]
    for dtype in ("int32", "int64", "float32", "complex64"):
        frames = paddle.arange(6).reshape([3, 2]).astype(dtype)
        out[dtype] = array(paddle.signal.overlap_add(frames, 1))
    return out


@program
def signal_stft(paddle, np):
    """stft: windows, borders, norms, one and two sides; the recorded graph."""
    window = np.hanning(7)[:6]
    out = {}
    for name, given in {
        "plain": {}, "hop": {"hop_length": 3}, "not centered": {"center": False},
        "zeros": {"pad_mode": "constant"}, "normalized": {"normalized": True},
        "two sides": {"onesided": False}, "short window": {"win_length": 6, "window": window},
    }.items():  # fmt: skip
        for shape in ((2, 20), (20,)):
            x = leaf(paddle, _draw(np, *shape))
            if "window" in given:
                given = given | {"window": paddle.to_tensor(window)}
            y = paddle.signal.stft(x, 8, **given)
            _pull_complex(paddle, np, y)
            out[f"{name} {shape}"] = [y.numpy(), graph(y), array(x.grad)]
    return out


@program
def signal_stft_of_complex(paddle, np):
    """stft of complex signals, windows of another dtype, integers, float32, the method."""
    z = paddle.to_tensor(_draw(np, 20) + 1j * _draw(np, 20)[::-1])
    window = paddle.to_tensor(np.hanning(8))
    x = paddle.to_tensor(_draw(np, 20).astype("float32"))
    return {
        "complex": array(paddle.signal.stft(z, 8, window=window)),
        "both": array(paddle.signal.stft(z, 8, window=window.astype("complex128"))),
        "wider window": array(paddle.signal.stft(x, 8, window=window)),
        "float32": array(paddle.signal.stft(x, 8)),
        "integers": array(paddle.signal.stft(paddle.arange(20), 8)),
        "method": array(x.stft(8, hop_length=4)),
        "none": array(paddle.signal.stft(paddle.zeros([0, 20]), 8)),
        "one": array(paddle.signal.stft(x, 1, 1)),
        "odd": array(paddle.signal.stft(x, 7, 2)),
    }


@program
def signal_istft(paddle, np):
    """istft: undoes stft; gradient and graph."""
    out = {}
    for name, given in {
        "plain": {}, "hop": {"hop_length": 4}, "not centered": {"center": False},
        "normalized": {"normalized": True}, "length": {"length": 11}, "long": {"length": 99},
        "two sides": {"onesided": False},
        "complex": {"onesided": False, "return_complex": True},
        "length from the start": {"length": 9, "center": False},
    }.items():  # fmt: skip
        for shape in ((2, 24), (24,)):
            shared = {k: v for k, v in given.items() if k not in ("length", "return_complex")}
            x = paddle.to_tensor(_draw(np, *shape))
            z = leaf(paddle, paddle.signal.stft(x, 8, **shared).numpy())
            y = paddle.signal.istft(z, 8, **given)
            (_pull_complex if "return_complex" in given else pull)(paddle, np, y)
            out[f"{name} {shape}"] = [y.numpy(), graph(y), array(z.grad)]
    return out


@program
def signal_istft_windows(paddle, np):
    """istft with windows, its dtypes, real spectra, and the gradient of a window."""
    window = leaf(paddle, np.hanning(9)[1:7])
    x = paddle.to_tensor(_draw(np, 2, 24))
    z = paddle.signal.stft(x, 8, 2, 6, window)
    y = paddle.signal.istft(z, 8, 2, 6, window)
    (y * y).sum().backward()
    small = z.detach().astype("complex64")
    return {
        "back": y.numpy(),
        "window": array(window.grad),
        "complex64": array(paddle.signal.istft(small, 8, 2)),
        "wider window": array(paddle.signal.istft(small, 8, 2, 6, window.detach())),
        "real": array(paddle.signal.istft(z.detach().real(), 8)),
        "method": array(z.detach().istft(8)),
    }


@program
def signal_refused(paddle, np):
    """What does not fit raises."""
    s, x = paddle.signal, paddle.ones([2, 8])
    z = paddle.ones([2, 5, 3], "complex64")
    calls = {
        "long frame": lambda: s.frame(x, 9, 1), "frame axis": lambda: s.frame(x, 3, 1, axis=1),
        "hop": lambda: s.frame(x, 3, 0), "length": lambda: s.frame(x, 0, 1),
        "vector": lambda: s.overlap_add(x[0], 2), "gap": lambda: s.overlap_add(x, 3),
        "n_fft": lambda: s.stft(x, 9), "rank": lambda: s.stft(paddle.ones([2, 2, 8]), 4),
        "win_length": lambda: s.stft(x, 8, win_length=9), "no hop": lambda: s.stft(x, 3),
        "pad_mode": lambda: s.stft(x, 8, pad_mode="circular"),
        "window": lambda: s.stft(x, 8, window=paddle.ones([7])),
        "onesided": lambda: s.stft(x.astype("complex64"), 8, onesided=True),
        "far hop": lambda: s.istft(z, 8, hop_length=9), "none": lambda: s.istft(z[:0], 8),
        "return_complex": lambda: s.istft(z, 8, return_complex=True),
        "complex window": lambda: s.istft(z, 8, window=paddle.ones([8], "complex64")),
        "frequencies": lambda: s.istft(z, 8, onesided=False),
    }  # fmt: skip
    return {
        name: {"error": refuses(call)["error"].replace("AssertionError", "ValueError")}
        for name, call in calls.items()
    }


@differs(
    "Paddle forgets that the frames have an odd number of elements",
    right=True,
    paddle_gives="ValueError",
)
def signal_istft_of_odd_frames(paddle, np):
    """istft with an odd n_fft."""
    x = paddle.to_tensor(_draw(np, 2, 24))
    found = attempt(lambda: paddle.signal.istft(paddle.signal.stft(x, 7, 2), 7, 2))
    return found["error"] if isinstance(found, dict) else np.allclose(found, x[:, :23])


@differs(
    "Paddle looks for a transform of real frames, which a complex window has made complex",
    right=True,
    paddle_gives="RuntimeError",
)
def signal_stft_complex_window(paddle, np):
    """stft of a real signal with a complex window."""
    x = paddle.to_tensor(_draw(np, 20))
    window = paddle.to_tensor(np.hanning(8) * np.exp(1j * np.arange(8)))
    found = attempt(lambda: paddle.signal.stft(x, 8, window=window))
    if isinstance(found, dict):
        return found["error"]
    return np.allclose(found, paddle.signal.stft(x.astype("complex128"), 8, window=window))


@differs(
    "Paddle reads the smallest sum of squares back, which waits for the device; jaxeager gives nan",
    right=[True] + [False] * 23,
    paddle_gives="ValueError",
)
def signal_istft_without_overlap(paddle, np):
    """Windows whose squares add up to 0 somewhere."""
    window = paddle.to_tensor(np.hanning(9)[:8])
    z = paddle.signal.stft(paddle.to_tensor(_draw(np, 24)), 8, center=False)
    found = attempt(lambda: paddle.signal.istft(z, 8, window=window, center=False))
    return found["error"] if isinstance(found, dict) else np.isnan(found.numpy()).tolist()
