"""paddle.fft: against NumPy, gradients to third order against JAX, refusals, `out`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError

NAMES = [f"{name}{form}" for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
         for form in ("", "2", "n")]  # fmt: skip
IN_NUMPY = [name for name in NAMES if not name.startswith(("hfft2", "hfftn", "ihfft2", "ihfftn"))]
TAKES_COMPLEX = ("fft", "ifft", "irfft", "hfft")


def draw(name, shape, seed=0):
    r = np.random.default_rng(seed)
    value = r.normal(size=shape)
    if name.rstrip("2n") in TAKES_COMPLEX:
        value = value + 1j * r.normal(size=shape)
    return value


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("name", IN_NUMPY)
def test_values_are_numpys(name, norm):
    x = draw(name, (3, 4))
    found = getattr(paddle.fft, name)(paddle.to_tensor(x), norm=norm)
    np.testing.assert_allclose(found.numpy(), getattr(np.fft, name)(x, norm=norm), atol=1e-12)


@pytest.mark.parametrize("name", ["hfft2", "hfftn"])
def test_hermitian_transforms_undo_each_other(name):
    x = np.random.default_rng(1).normal(size=(3, 5))
    half = getattr(paddle.fft, f"i{name}")(paddle.to_tensor(x))
    back = getattr(paddle.fft, name)(half, s=[3, 5])
    np.testing.assert_allclose(back.numpy(), x, atol=1e-12)


# The names in jax.numpy; it does not have hfft2 and its variants.
ORDERS = {
    "fft": (3, {"n": 5}), "ifft": (4, {"norm": "ortho"}), "rfft": (5, {}), "irfft": (3, {"n": 5}),
    "hfft": (3, {}), "ihfft": (4, {}), "rfftn": ((2, 4), {}), "irfftn": ((2, 3), {"s": (2, 5)}),
}  # fmt: skip


@pytest.mark.deep
@pytest.mark.parametrize("name", ORDERS)
def test_third_derivatives_are_jaxs(name):
    shape, attributes = ORDERS[name]
    shape = shape if isinstance(shape, tuple) else (shape,)
    value, along = draw(name, shape), draw(name, shape, seed=1)

    def weigh(y):
        return (abs(y) ** 4).sum()

    def by_jax(x):
        return weigh(getattr(jnp.fft, name)(x, **attributes))

    def directional(function):
        return lambda x: jnp.sum((jnp.conj(along) * jnp.conj(jax.grad(function)(x))).real)

    expected = np.conj(jax.grad(directional(directional(by_jax)))(jnp.asarray(value)))
    x = paddle.to_tensor(value, stop_gradient=False)
    direction = paddle.to_tensor(along)
    total = weigh(getattr(paddle.fft, name)(x, **attributes))
    for _ in range(2):
        (slope,) = paddle.grad(total, x, create_graph=True)
        product = direction.conj() * slope
        total = (product.real() if product.is_complex() else product).sum()
    (found,) = paddle.grad(total, x)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("size", "stands_for"), [(5, [1, 2, 2]), (6, [1, 2, 2, 1])])
def test_a_frequency_that_represents_two_gets_both_gradients(size, stands_for):
    x = paddle.zeros([len(stands_for)], "complex128")
    x.stop_gradient = False
    paddle.fft.irfft(x, n=size, norm="forward")[0].backward()
    assert x.grad.real().tolist() == stands_for
    assert x.grad.imag().tolist() == [0.0] * len(stands_for)


def test_an_imaginary_part_that_does_not_count_changes_nothing():
    x = paddle.to_tensor([[1.0 + 2.0j, 3.0 - 1.0j], [0.5 + 1.0j, 2.0 + 4.0j]])
    still = paddle.to_tensor([[1.0 + 0.0j, 3.0 + 0.0j], [0.5 + 0.0j, 2.0 + 0.0j]])
    assert paddle.fft.irfft(x).tolist() == paddle.fft.irfft(still).tolist()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "bool"])
@pytest.mark.parametrize("name", ["fft", "rfft", "irfft"])
def test_half_precision_is_refused(name, dtype):
    x = paddle.ones([4]).astype(dtype)
    with pytest.raises(InvalidArgumentError, match=f"must be .* but is {dtype}"):
        getattr(paddle.fft, name)(x)


REFUSED = {
    "norm": (lambda x: paddle.fft.fft(x, norm="x"), "Unexpected norm: x"),
    "n": (lambda x: paddle.fft.fft(x, n=-1), r"n\(-1\), it should be positive"),
    "kind of n": (lambda x: paddle.fft.fft(x, n=True), r"n\(True\), it should be an int"),
    "axis": (lambda x: paddle.fft.rfft(x, axis=2), r"\(2\), .* in the range \[-2, 2\)"),
    "s": (lambda x: paddle.fft.fftn(x, s=3), "sizes s must be a sequence of ints, .* 3"),
    "many s": (lambda x: paddle.fft.fftn(x, s=[1, 1, 1]), r"than the 2 dimensions .* \[1, 1, 1\]"),
    "lengths": (lambda x: paddle.fft.fftn(x, [2], [0, 1]), r"s=\[2\] for axes=\[0, 1\]"),
    "vector": (lambda x: paddle.fft.fft2(x[0]), r"2 dimensions or more, but its shape is \[3\]"),
    "three": (lambda x: paddle.fft.fft2(x, [1, 2, 3]), "s .* a sequence of 2 integers"),
    "complex": (lambda x: paddle.fft.rfft(x + 1j), "float32 or float64, but is complex64"),
    "no axes": (lambda x: paddle.fft.rfftn(x, axes=[]), "there must be an axis"),
    "spacing": (lambda x: paddle.fft.fftfreq(0), "n=0 and d=1.0"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_invalid_arguments_are_refused(case):
    call, text = case
    with pytest.raises(InvalidArgumentError, match=text):
        call(paddle.ones([2, 3]))


def test_a_parameter_under_both_names_is_refused():
    with pytest.raises(TypeError, match="'dim' is another name"):
        paddle.fft.fft(paddle.ones([2]), axis=0, dim=0)


def test_no_axes_leave_complex_numbers_as_they_are():
    x = paddle.to_tensor([1.0 + 2.0j, 3.0 + 0.0j])
    assert paddle.fft.fftn(x, axes=[]).tolist() == x.tolist()
    assert paddle.fft.fftshift(x, axes=[]).tolist() == x.tolist()


def test_out_is_written_and_the_result_is_its_own():
    target = paddle.zeros([3], "complex64")
    found = paddle.fft.fft(paddle.to_tensor([1.0, 2.0, 3.0]), out=target)
    assert found is not target
    assert target.tolist() == found.tolist()


def test_frequencies_are_made_on_the_requested_device():
    assert paddle.fft.rfftfreq(4, device="cpu").place.is_cpu_place()


def test_nothing_becomes_64_bits_wide():
    x = paddle.ones([2, 4])
    for name in NAMES:
        found = str(getattr(paddle.fft, name)(x).dtype)
        assert found in ("paddle.complex64", "paddle.float32"), name
    assert str(paddle.fft.fftfreq(4).dtype) == "paddle.float32"


def test_mixed_precision_transforms_in_float32():
    x = paddle.ones([2, 4])
    x.stop_gradient = False
    with paddle.amp.auto_cast(level="O2", dtype="bfloat16"):
        half = paddle.matmul(x, paddle.ones([4, 4]))
        spectrum = paddle.fft.rfft(half)
    assert [str(each.dtype) for each in (half, spectrum)] == ["paddle.bfloat16", "paddle.complex64"]
    spectrum.abs().sum().backward()
    assert str(x.grad.dtype) == "paddle.float32"
