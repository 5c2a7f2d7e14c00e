"""paddle.signal: against SciPy, inverses, second derivatives, no waiting, errors."""

import jax
import numpy as np
import pytest
import scipy.signal

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

WINDOW = scipy.signal.get_window("hann", 16)


def signal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("hop", [4, 5, 16])
def test_stft_is_scipys(hop):
    x = signal(2, 80)
    found = paddle.signal.stft(
        paddle.to_tensor(x), 16, hop, window=paddle.to_tensor(WINDOW), center=False
    )
    _, _, expected = scipy.signal.stft(
        x, window=WINDOW, nperseg=16, noverlap=16 - hop, boundary=None, padded=False
    )
    np.testing.assert_allclose(found.numpy(), expected * WINDOW.sum(), atol=1e-12)


@pytest.mark.parametrize("n_fft", [1, 7, 8, pytest.param(16, marks=pytest.mark.deep)])
@pytest.mark.parametrize("onesided", [True, False])
def test_istft_undoes_stft(n_fft, onesided):
    x = signal(3, 64)
    hop = max(n_fft // 4, 1)
    spectra = paddle.signal.stft(paddle.to_tensor(x), n_fft, hop, onesided=onesided)
    back = paddle.signal.istft(spectra, n_fft, hop, onesided=onesided, length=60)
    np.testing.assert_allclose(back.numpy(), x[:, :60], atol=1e-12)


def test_a_complex_signal_comes_back():
    x = signal(64) + 1j * signal(64, seed=1)
    window = paddle.to_tensor(WINDOW * np.exp(1j * np.arange(16)))
    spectra = paddle.signal.stft(paddle.to_tensor(x), 16, window=window)
    back = paddle.signal.istft(spectra, 16, window=window, onesided=False, return_complex=True)
    np.testing.assert_allclose(back.numpy(), x, atol=1e-12)


def test_the_gradient_of_the_energy_by_differences():
    x, along, step = signal(32), signal(32, seed=1), 1e-5
    window = paddle.to_tensor(WINDOW)

    def energy(value):
        tensor = paddle.to_tensor(value, stop_gradient=False)
        return tensor, (paddle.signal.stft(tensor, 16, window=window).abs() ** 3).sum()

    tensor, total = energy(x)
    total.backward()
    slope = (energy(x + step * along)[1].item() - energy(x - step * along)[1].item()) / (2 * step)
    assert np.dot(tensor.grad.numpy(), along) == pytest.approx(slope, rel=1e-7)


@pytest.mark.deep
def test_second_derivatives_go_through_a_round_trip():
    x = paddle.to_tensor(signal(32), stop_gradient=False)
    back = paddle.signal.istft(paddle.signal.stft(x, 8), 8)
    (slope,) = paddle.grad((back**3).sum(), x, create_graph=True)
    (curve,) = paddle.grad(slope.sum(), x)
    np.testing.assert_allclose(curve.numpy(), 6 * x.numpy(), atol=1e-10)


def test_nothing_waits_for_the_device():
    # JAX traces it without values: reading one would raise.
    def back(spectra, window):
        tensors = [paddle.Tensor.from_array(each) for each in (spectra, window)]
        return paddle.signal.istft(tensors[0], 16, window=tensors[1])._array

    spectra = jax.ShapeDtypeStruct((9, 17), np.complex128)
    assert jax.eval_shape(back, spectra, jax.ShapeDtypeStruct((16,), np.float64)).shape == (64,)


def test_istft_gives_nan_where_no_window_reaches():
    spectra = paddle.ones([5, 3], "complex64")
    window = paddle.to_tensor([0.0] + [1.0] * 7)
    out = paddle.signal.istft(spectra, 8, window=window, center=False)
    assert np.isnan(out.numpy()).tolist() == [True] + [False] * 11


REFUSED = {
    "frame": (lambda x: paddle.signal.frame(x, 99, 1), "frame of 99 does not fit .* of 32"),
    "rank": (lambda x: paddle.signal.stft(x.reshape([2, 2, 8]), 4), r"1 or 2 .* \[2, 2, 8\]"),
    "hop": (lambda x: paddle.signal.stft(x, 3), "hop_length should be > 0, but got 0"),
    "n_fft": (lambda x: paddle.signal.stft(x, 33), r"\(0, 32\], .* but got 33"),
    "win_length": (lambda x: paddle.signal.stft(x, 8, win_length=9), r"n_fft\(8\)\], got 9"),
    "window": (
        lambda x: paddle.signal.stft(x, 8, window=paddle.ones([7])),
        r"win_length\(8\) elements, but its shape is \[7\]",
    ),
    "pad_mode": (lambda x: paddle.signal.stft(x, 8, pad_mode="circular"), "got 'circular'"),
    "onesided": (
        lambda x: paddle.signal.stft(x.astype("complex64"), 8, onesided=True),
        "onesided should be False when input or window is complex",
    ),
    "half": (lambda x: paddle.signal.stft(x.astype("float16"), 8), "is float16"),
    "no frames": (lambda x: paddle.signal.istft(paddle.zeros([0, 5, 2]), 8), "empty tensor"),
    "frequencies": (
        lambda x: paddle.signal.istft(paddle.ones([5, 2]), 10),
        "should be 6 frequencies for n_fft=10 and onesided=True, but there are 5",
    ),
    "complex": (
        lambda x: paddle.signal.istft(paddle.ones([5, 2]), 8, return_complex=True),
        "onesided should be False when the result is complex",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_invalid_arguments_are_refused(case):
    call, text = case
    with pytest.raises(InvalidArgumentError, match=text):
        call(paddle.ones([32]))
