"""treescope, JAX's viewer of nested data, shows Tensors and Layers."""

import jax
import pytest

import jaxeager as paddle

treescope = pytest.importorskip("treescope", reason="this needs pip install 'jaxeager[interop]'")
nn = paddle.nn


def test_a_tensor_shows_its_array_its_node_and_its_gradient():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 3.0
    y.sum().backward()
    text = treescope.render_to_text([x, y])
    assert text.count("Tensor(") == 2
    assert "data=<jax.Array([1., 2.], dtype=float32)>" in text
    assert "grad=<jax.Array([3., 3.], dtype=float32)>" in text
    assert "grad_fn='ScaleGradNode'" in text


def test_a_tensor_without_gradient_shows_its_array_alone():
    text = treescope.render_to_text([paddle.to_tensor([7.0])])
    assert "Tensor(data=<jax.Array([7.], dtype=float32)>)" in text


def test_a_layer_is_a_tree():
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1D(3))
    net.eval()
    text = treescope.render_to_text(net)
    assert "training=False" in text
    assert "0=Linear(" in text
    for name in ("weight=Parameter(", "bias=Parameter(", "_mean="):
        assert name in text
    assert treescope.render_to_html(net).count("<script") > 0


def test_a_pending_tensor_is_computed():
    with paddle.lazy():
        text = treescope.render_to_text([paddle.to_tensor([2.0]) * 2.0])
    assert "[4.]" in text


def test_state_dicts_and_traced_tensors_are_shown():
    assert "weight" in treescope.render_to_text(nn.Linear(2, 2).state_dict())
    shown = []

    def traced(x):
        shown.append(treescope.render_to_text([x]))
        return x * 2.0

    jax.eval_shape(paddle.autograd.to_jax(traced), jax.ShapeDtypeStruct((2,), "float32"))
    assert "Tensor(" in shown[0]
