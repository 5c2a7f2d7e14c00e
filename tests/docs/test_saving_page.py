"""The programs of docs/saving.md run one after the other, as a reader would try them."""

import numpy as np
import pytest

from tests.docs.blocks import blocks_of

PROGRAMS = [each.text for each in blocks_of("saving.md") if each.language == "python"]


def test_they_give_the_same_in_each_way(tmp_path, monkeypatch):
    pytest.importorskip("safetensors")
    monkeypatch.chdir(tmp_path)
    saving, plain, exporting, engine = PROGRAMS
    scope = {"images": np.linspace(0, 1, 3 * 28 * 28, dtype="float32").reshape(3, 1, 28, 28)}
    exec(saving, scope)
    exec(plain.replace('np.zeros((3, 1, 28, 28), "float32")', "images"), scope)
    in_jax = np.asarray(scope["logits"])
    exec(exporting, scope)
    assert (tmp_path / "lenet.onnx").exists()
    exec(engine, scope)
    loaded = scope["loaded"](scope["paddle"].to_tensor(scope["images"]))
    assert in_jax.shape == (3, 10)
    np.testing.assert_allclose(in_jax, loaded.numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(scope["logits"], loaded.numpy(), rtol=1e-5, atol=1e-6)
