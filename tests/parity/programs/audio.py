"""paddle.audio: windows, mel scales, features, WAV files."""

import io

from ..probe import array, attempt, leaf, pull, refuses
from ..registry import differs, program

WINDOWS = (
    "hamming", "hann", "bartlett", "nuttall", "triang", "bohman", "blackman", "cosine", "tukey",
    "taylor", ("kaiser", 14.0), ("gaussian", 3.0), ("exponential", None, 0.7), ("tukey", 0.3),
    ("taylor", 5, 25), ("general_gaussian", 1.5, 3.0), ("general_cosine", [0.5, 0.3, 0.2]),
    ("general_hamming", 0.6), ("hann",),
)  # fmt: skip


def _sound(paddle, np, *shape):
    return leaf(paddle, np.random.default_rng(12).normal(size=shape).astype("float32"))


@program
def audio_windows(paddle, np):
    """get_window of every name, periodic and symmetric, odd and even."""
    get = paddle.audio.functional.get_window
    out = {}
    for window in WINDOWS:
        for length in (4, 7):
            for periodic in (True, False):
                found = get(window, length, periodic)
                out[f"{window} {length} {periodic}"] = found.numpy().round(9)
    out["float32"] = array(get("hann", 8, dtype="float32"))
    out["one"] = array(get("hamming", 1))
    out["symmetric off center"] = refuses(lambda: get(("exponential", 2.0), 4, False))["error"]
    for wrong in ("kaiser", "square", 5):
        out[f"{wrong}"] = refuses(lambda w=wrong: get(w, 4))["error"]
    out["negative"] = refuses(lambda: get("hann", -1))["error"]
    return out


@program
def audio_named_windows(paddle, np):
    """hamming_window, hann_window, kaiser_window, blackman_window, bartlett_window."""
    out = {}
    for name in ("hamming", "hann", "kaiser", "blackman", "bartlett"):
        make = getattr(paddle, f"{name}_window")
        for length in (0, 1, 2, 5):
            found = [make(length), make(length, False, dtype="float64", requires_grad=True)]
            out[f"{name} {length}"] = [array(found[0]), found[1].numpy().round(9)]
            out[f"{name} {length} gradient"] = [each.stop_gradient for each in found]
        out[f"{name} layout"] = array(make(3, layout="strided"))
        out[f"{name} negative"] = refuses(lambda make=make: make(-1))["error"]
    out["hamming"] = array(paddle.hamming_window(5, False, 0.6, 0.3))
    out["kaiser"] = array(paddle.kaiser_window(5, True, 3.0))
    paddle.set_default_dtype("float64")
    out["default"] = str(paddle.hann_window(4, dtype=None).dtype)
    return out


@program(rtol=5e-6, reason="Paddle adds 1e-10 inside the logarithm, and computes in float32")
def audio_mel_scales(paddle, np):
    """hz_to_mel and mel_to_hz of numbers and tensors, and the frequencies between."""
    f = paddle.audio.functional
    hz, mel = [0.0, 440.0, 1000.0, 1001.0, 8000.0], [0.0, 3.5, 15.0, 15.5, 40.0]
    out = {}
    for htk in (False, True):
        x, y = leaf(paddle, hz), leaf(paddle, mel)
        up, down = f.hz_to_mel(x, htk), f.mel_to_hz(y, htk)
        pull(paddle, np, up, down)
        out[htk] = [up.numpy(), down.numpy(), array(x.grad), array(y.grad)]
        out[f"{htk} numbers"] = [
            [f.hz_to_mel(h, htk) for h in hz],
            [f.mel_to_hz(m, htk) for m in mel],
        ]
        out[f"{htk} between"] = array(f.mel_frequencies(9, 20.0, 4000.0, htk))
    out["float64"] = array(f.mel_frequencies(5, dtype="float64"))
    out["fft"] = [array(f.fft_frequencies(16000, 10)), array(f.fft_frequencies(8000, 7, "float64"))]
    return out


@program(rtol=1e-5, reason="Paddle computes frequencies of thousands of Hz in float32")
def audio_matrices(paddle, np):
    """compute_fbank_matrix and create_dct."""
    f = paddle.audio.functional
    return {
        "plain": array(f.compute_fbank_matrix(16000, 128, 10)),
        "htk": array(f.compute_fbank_matrix(16000, 128, 10, 100.0, 4000.0, htk=True)),
        "p": array(f.compute_fbank_matrix(16000, 128, 5, norm=2.0, dtype="float64")),
        "heights": array(f.compute_fbank_matrix(16000, 128, 5, norm=None, dtype="float64")),
        "dct": array(f.create_dct(5, 8)),
        "plain dct": array(f.create_dct(8, 8, None, "float64")),
        "norm": refuses(lambda: f.create_dct(3, 4, "slaney"))["error"].replace(
            "Assertion", "Value"
        ),
    }


@program
def audio_decibels(paddle, np):
    """power_to_db: what is small, what is far below the largest, gradients."""
    out = {}
    for given in ({}, {"top_db": None}, {"top_db": 20.0}, {"ref_value": 5.0, "amin": 1e-3}):
        x = leaf(paddle, [[1.0, 100.0, 1e-12], [3.0, 0.02, 50.0]])
        y = paddle.audio.functional.power_to_db(x, **given)
        pull(paddle, np, y)
        out[f"{given}"] = [y.numpy(), array(x.grad)]
    return out


@program(rtol=2e-4, reason="sums of hundreds of float32 products, in another order")
def audio_features(paddle, np):
    """The four layers: values, gradients, state_dict."""
    f = paddle.audio.features
    out = {}
    for name, layer in {
        "spectrogram": f.Spectrogram(64, 16), "power": f.Spectrogram(64, 32, 48, "hamming", 2.0),
        "kaiser": f.Spectrogram(64, 32, window=("kaiser", 8.0), pad_mode="constant"),
        "mel": f.MelSpectrogram(8000, 64, 16, n_mels=6),
        "mel not centered": f.MelSpectrogram(8000, 64, 16, n_mels=6, center=False, norm=1.0),
        "decibels": f.LogMelSpectrogram(8000, 64, n_mels=6, top_db=30.0),
        "coefficients": f.MFCC(8000, 4, 64, n_mels=6, htk=True, f_max=3000.0),
    }.items():  # fmt: skip
        x = _sound(paddle, np, 2, 200)
        y = layer(x)
        y.sum().backward()
        state = {key: [value.shape, str(value.dtype)] for key, value in layer.state_dict().items()}
        out[name] = [y.numpy(), array(x.grad), {k: [list(s), d] for k, (s, d) in state.items()}]
        out[f"{name} text"] = str(layer)
    out["one sound"] = f.MelSpectrogram(8000, 64, n_mels=6, hop_length=16)(
        _sound(paddle, np, 99)
    ).numpy()
    return out


@program
def audio_refused(paddle, np):
    """What does not fit raises."""
    f = paddle.audio
    calls = {
        "power": lambda: f.features.Spectrogram(power=0),
        "norm": lambda: f.functional.create_dct(3, 4, "slaney"),
        "coefficients": lambda: f.features.MFCC(n_mfcc=65),
        "one sound": lambda: f.features.MFCC(n_fft=64, n_mels=8, n_mfcc=4)(paddle.ones([200])),
        "a vector": lambda: f.save(io.BytesIO(), paddle.ones([3]), 8000),
        "bits": lambda: f.save(io.BytesIO(), paddle.ones([1, 3]), 8000, bits_per_sample=8),
        "no WAV": lambda: f.load(io.BytesIO(b"hello" * 30)),
        "no WAV either": lambda: f.info(io.BytesIO(b"hello" * 30)),
        "no file": lambda: f.load("there/is/no/such.wav"),
        "backend": lambda: f.backends.set_backend("soundfile"),
    }
    return {
        name: {"error": refuses(call)["error"].replace("AssertionError", "ValueError")}
        for name, call in calls.items()
    }


def _written(paddle, value, **given):
    """Returns a file with a sound in it, at its beginning."""
    file = io.BytesIO()
    paddle.audio.save(file, paddle.to_tensor(value), 8000, **given)
    return io.BytesIO(file.getvalue())


@program
def audio_files(paddle, np):
    """save, info and load: layouts, parts, integers."""
    sound = [[0.0, 0.5, -0.5, 0.99], [0.25, -1.0, 0.125, 0.001]]
    head = paddle.audio.info(_written(paddle, sound))
    out = {
        name: getattr(head, name)
        for name in ("sample_rate", "num_samples", "num_channels", "bits_per_sample", "encoding")
    }
    for name, given in {
        "plain": {}, "integers": {"normalize": False}, "samples first": {"channels_first": False},
        "part": {"frame_offset": 1, "num_frames": 2}, "too much": {"num_frames": 99},
    }.items():  # fmt: skip
        loaded, rate = paddle.audio.load(_written(paddle, sound), **given)
        out[name] = [loaded.numpy(), rate]
    turned = _written(paddle, sound, channels_first=False)
    out["turned"] = array(paddle.audio.load(turned)[0])
    whole = _written(paddle, np.array([[1, -2, 300]], "int16"))
    out["int16"] = array(paddle.audio.load(whole, normalize=False)[0])
    out["backend"] = paddle.audio.backends.get_current_backend()
    return out


@differs(
    "Paddle multiplies by 2 ** 15 and lets the integer overflow",
    right=[[32767.0, 32767.0, -32768.0]],
    paddle_gives=[[-32768.0, 0.0, -32768.0]],
)
def audio_loud_samples(paddle, np):
    """1.0 and more in a file of 16-bit integers."""
    file = _written(paddle, [[1.0, 2.0, -1.0]])
    return paddle.audio.load(file, normalize=False)[0].tolist()


@differs(
    "Paddle writes the bytes of float64 as if they were samples",
    right=[[16384.0, -8192.0]],
    paddle_gives=[[0.0, 0.0, 0.0, 16352.0, 0.0, 0.0, 0.0, -16432.0]],
)
def audio_samples_of_float64(paddle, np):
    """float64 in a file of 16-bit integers."""
    file = _written(paddle, np.array([[0.5, -0.25]]))
    return paddle.audio.load(file, normalize=False)[0].tolist()


@differs(
    "Paddle looks at frame_offset only when num_frames is given",
    right=[[0.25, 0.5]],
    paddle_gives=[[0.0, 0.25, 0.5]],
)
def audio_offset_alone(paddle, np):
    """load with an offset, up to the end."""
    return paddle.audio.load(_written(paddle, [[0.0, 0.25, 0.5]]), frame_offset=1)[0].tolist()


@differs(
    "Paddle divides None by 8",
    right=3,
    paddle_gives="TypeError",
)
def audio_default_bits(paddle, np):
    """bits_per_sample=None, which the documentation allows."""
    found = attempt(lambda: _written(paddle, [[0.0, 0.25, 0.5]], bits_per_sample=None))
    return found["error"] if isinstance(found, dict) else paddle.audio.info(found).num_samples
