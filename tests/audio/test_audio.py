"""paddle.audio: against SciPy and the definitions, gradients, files, errors."""

import io
import wave

import numpy as np
import pytest
import scipy.fft
import scipy.signal

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError

functional, features = paddle.audio.functional, paddle.audio.features


@pytest.mark.parametrize("window", ["hann", "taylor", ("kaiser", 8.0), ("gaussian", 2.0)])
@pytest.mark.parametrize("periodic", [True, False])
def test_a_window_is_scipys_in_the_requested_dtype(window, periodic):
    found = functional.get_window(window, 9, periodic, "float32")
    assert str(found.dtype) == "paddle.float32"
    expected = scipy.signal.get_window(window, 9, fftbins=periodic)
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-7)


def test_windows_that_have_a_function_of_their_own():
    window = paddle.hann_window(4, False, dtype="float64", requires_grad=True)
    assert str(window.dtype) == "paddle.float64"
    assert not window.stop_gradient
    assert paddle.kaiser_window(5, beta=3.0, device="cpu").place.is_cpu_place()


@pytest.mark.parametrize("htk", [False, True])
def test_the_mel_scale_and_back(htk):
    hz = np.array([0.0, 300.0, 1000.0, 1000.1, 7000.0])
    mel = functional.hz_to_mel(paddle.to_tensor(hz), htk)
    np.testing.assert_allclose(functional.mel_to_hz(mel, htk).numpy(), hz, rtol=1e-12)
    np.testing.assert_allclose(functional.hz_to_mel(hz, htk), mel.numpy(), rtol=1e-12)
    assert [functional.hz_to_mel(each, htk) for each in hz] == pytest.approx(mel.tolist())


def test_slaneys_bands_have_equal_areas():
    bands = functional.compute_fbank_matrix(16000, 4096, n_mels=12, dtype="float64").numpy()
    areas = bands.sum(1) * 16000 / 4096
    np.testing.assert_allclose(areas, np.ones(12), rtol=0.01)


def test_bands_of_norm_p():
    bands = functional.compute_fbank_matrix(16000, 256, n_mels=6, norm=2.0, dtype="float64")
    np.testing.assert_allclose(np.linalg.norm(bands.numpy(), axis=1), np.ones(6), rtol=1e-12)


@pytest.mark.parametrize("norm", ["ortho", None])
def test_the_cosine_transform_is_scipys(norm):
    x = np.random.default_rng(0).normal(size=(3, 8))
    found = x @ functional.create_dct(5, 8, norm, "float64").numpy()
    np.testing.assert_allclose(found, scipy.fft.dct(x, norm=norm)[:, :5], atol=1e-12)


def test_gradients_reach_the_sound():
    r = np.random.default_rng(1)
    sound, along, step = r.normal(size=(1, 300)), r.normal(size=(1, 300)), 1e-5
    layer = features.MFCC(8000, 4, 64, n_mels=6, top_db=60.0, dtype="float64")

    def energy(value):
        x = paddle.to_tensor(value, stop_gradient=False)
        return x, (layer(x) ** 2).sum()

    x, total = energy(sound)
    total.backward()
    ends = [energy(sound + sign * step * along)[1].item() for sign in (1, -1)]
    assert (x.grad.numpy() * along).sum() == pytest.approx(
        (ends[0] - ends[1]) / (2 * step), rel=1e-6
    )


def test_a_layer_follows_its_buffers():
    layer = features.Spectrogram(16, 8)
    layer.set_state_dict({"fft_window": paddle.zeros([16])})
    assert layer(paddle.ones([1, 64])).sum().item() == 0.0


def test_files_come_back_through_paths_and_open_files(tmp_path):
    sound = paddle.to_tensor(np.random.default_rng(2).uniform(-1, 1, (2, 50)).astype("float32"))
    path = tmp_path / "sound.wav"
    paddle.audio.save(path, sound, 16000)
    loaded, rate = paddle.audio.load(path)
    assert rate == 16000
    np.testing.assert_allclose(loaded.numpy(), sound.numpy(), atol=2**-15)
    with path.open("rb") as file:
        assert paddle.audio.info(file).num_channels == 2
        assert not file.closed
    part, _ = paddle.audio.load(str(path), frame_offset=45, num_frames=99)
    assert part.shape == [2, 5]


def of_bytes(width):
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(width)
        writer.setframerate(8000)
        writer.writeframes(bytes(6))
    file.seek(0)
    return file


REFUSED = {
    "window": (lambda: functional.get_window("square", 4), "Unknown window type.* 'square'"),
    "parameters": (lambda: functional.get_window("kaiser", 4), "'kaiser' window needs one or more"),
    "too many": (lambda: functional.get_window(("hann", 3, 4), 4), r"the parameters \(3, 4\)"),
    "length": (lambda: functional.get_window("hann", -1), "-1.*non-negative"),
    "dtype of a window": (lambda: paddle.hann_window(4, dtype="int32"), "not int32"),
    "layout": (lambda: paddle.kaiser_window(4, layout="sparse"), "None or 'strided', .* 'sparse'"),
    "bands": (lambda: functional.compute_fbank_matrix(8000, 16, 0), "n_mels=0"),
    "ends": (lambda: functional.compute_fbank_matrix(8000, 16, 4, 5000.0), "f_max=4000.0"),
    "dct": (lambda: functional.create_dct(3, 4, "slaney"), "but received 'slaney'"),
    "amin": (lambda: functional.power_to_db(paddle.ones([2]), amin=0), "amin must be .* is 0"),
    "ref": (lambda: functional.power_to_db(paddle.ones([2]), -1.0), "ref_value must be .* is -1"),
    "top": (lambda: functional.power_to_db(paddle.ones([2]), top_db=-3), "non-negative, but is -3"),
    "power": (lambda: features.Spectrogram(power=0), "must be > 0, but is 0"),
    "mfcc": (lambda: features.MFCC(n_mfcc=65), "65 vs 64"),
    "offset": (lambda: paddle.audio.load(of_bytes(2), -1), "received -1 and -1"),
    "shape": (lambda: paddle.audio.save(io.BytesIO(), paddle.ones([3]), 8000), r"shape is \[3\]"),
    "dtype": (
        lambda: paddle.audio.save(io.BytesIO(), paddle.ones([1, 3], "int64"), 8000),
        "its dtype is int64",
    ),
    "bits": (
        lambda: paddle.audio.save(io.BytesIO(), paddle.ones([1, 3]), 8000, True, "ULAW", 8),
        "received 8 and 'ULAW'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_invalid_arguments_are_refused(case):
    call, text = case
    with pytest.raises(InvalidArgumentError, match=text):
        call()


def test_a_head_that_promises_more_than_there_is(tmp_path):
    """The reader allocates no memory for it, as for a file whose length is not known yet."""
    data = bytearray(of_bytes(2).getvalue())
    data[4:8], data[40:44] = b"\xff" * 4, b"\xfe" + b"\xff" * 3
    (tmp_path / "a.wav").write_bytes(data)
    assert paddle.audio.load(str(tmp_path / "a.wav"))[0].shape == [1, 3]
    (tmp_path / "a.wav").write_bytes(data[:-1])
    with pytest.raises(ValueError, match=r"a\.wav is damaged, or of another format"):
        paddle.audio.load(str(tmp_path / "a.wav"))


UNSUPPORTED = {
    "no WAV": (lambda: paddle.audio.load(io.BytesIO(b"hello" * 30)), "only PCM16 WAV supported"),
    "empty": (lambda: paddle.audio.info(io.BytesIO()), "only PCM16 WAV supported"),
    "bytes": (lambda: paddle.audio.load(of_bytes(1)), "has 8 bits per sample"),
    "backend": (lambda: paddle.audio.backends.set_backend("sox"), "not 'sox'"),
}


@pytest.mark.parametrize("case", UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_other_files_are_refused(case):
    call, text = case
    with pytest.raises(UnimplementedError, match=text):
        call()
