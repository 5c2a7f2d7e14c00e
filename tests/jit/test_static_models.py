"""Whole models in captured functions: the loss, gradients and statistics of op by op."""

import numpy as np
import pytest

import jaxeager as paddle

MODELS = ("resnet18", "mobilenet_v3_small", "squeezenet1_1", "shufflenet_v2_x0_25", "densenet121")


def _step(name: str, mark) -> list:
    paddle.seed(2)
    model = getattr(paddle.vision.models, name)(num_classes=5)
    x = np.random.default_rng(1).normal(size=(2, 3, 64, 64)).astype("float32")

    @mark
    def loss_of(images):
        out = model(images)
        outs = out if isinstance(out, (list, tuple)) else [out]
        return sum(each.square().mean() for each in outs)

    found = []
    for _ in range(2):
        model.clear_gradients()
        paddle.seed(3)
        loss = loss_of(paddle.to_tensor(x))
        loss.backward()
        found.append(loss.numpy())
    found += [each.numpy() for each in model.buffers()]
    return found + [p.grad.numpy() for p in model.parameters() if p.grad is not None]


@pytest.mark.deep
@pytest.mark.parametrize("name", MODELS)
def test_a_captured_model_has_the_results_of_its_ops(name):
    wanted = _step(name, lambda function: function)
    found = _step(name, lambda function: paddle.jit.to_static(function, full_graph=True))
    assert len(found) == len(wanted)
    for got, want in zip(found, wanted, strict=True):
        scale = max(np.abs(want).max(), 1e-3)
        np.testing.assert_allclose(got / scale, want / scale, atol=1e-2)
