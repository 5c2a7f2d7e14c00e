"""paddle.inference: models of jit.save, by names and handles, as with Paddle's engine."""

import logging
import os

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import inference
from jaxeager.inference import config as config_file
from jaxeager.static import InputSpec


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(2, 3)

    def forward(self, x, y):
        return self.linear(x) + y, y.cast("int32")

    @paddle.jit.to_static(input_spec=[InputSpec([2, 2], name="z")])
    def infer(self, z):
        return self.linear(z)


@pytest.fixture(scope="module")
def net():
    return Net()


@pytest.fixture(scope="module")
def folder(net, tmp_path_factory):
    """Return the folder of a model "m"."""
    folder = tmp_path_factory.mktemp("model")
    net.forward = paddle.jit.to_static(
        net.forward, input_spec=[InputSpec([None, 2]), InputSpec([None, 3], name="why")]
    )
    paddle.jit.save(net, f"{folder}/m")
    return str(folder)


@pytest.fixture
def config(folder):
    return inference.Config(f"{folder}/m.json", f"{folder}/m.pdiparams")


X = np.arange(8, dtype="float32").reshape(4, 2)
Y = np.ones((4, 3), "float32")


def wanted(net):
    return net.linear(paddle.to_tensor(X)).numpy() + Y


def test_handles(config, net):
    config.disable_gpu()
    predictor = inference.create_predictor(config)
    assert predictor.get_input_names() == ["x", "why"]
    assert predictor.get_output_names() == ["fetch_name_0", "fetch_name_1"]
    x, y = [predictor.get_input_handle(name) for name in predictor.get_input_names()]
    assert (x.name(), x.shape(), x.type()) == ("x", [0], inference.DataType.FLOAT32)
    with pytest.raises(RuntimeError, match="x has no value yet"):
        predictor.run()
    x.reshape([4, 2])
    assert x.shape() == [4, 2]
    given = X.copy()
    x.copy_from_cpu(given)
    given[:] = 0
    y.copy_from_cpu(np.asfortranarray(Y))
    assert predictor.run() is None
    first, second = [predictor.get_output_handle(n) for n in predictor.get_output_names()]
    assert (first.shape(), first.type().name) == ([4, 3], "FLOAT32")
    np.testing.assert_allclose(first.copy_to_cpu(), wanted(net), rtol=1e-6)
    assert second.type() == inference.DataType.INT32
    x.copy_from_cpu(X[:1])
    y.share_external_data(paddle.to_tensor(Y[:1]))
    predictor.run()
    assert first.copy_to_cpu().shape == (1, 3)
    assert (x.lod(), x.set_lod([[0, 1]]), x.lod()) == ([], None, [[0, 1]])


def test_lists_of_tensors_clones_and_pools(config, net):
    predictor = inference.Predictor(config)
    given = [paddle.to_tensor(X), paddle.to_tensor(Y)]
    found = predictor.run(given)
    assert [each.name for each in found] == ["fetch_name_0", "fetch_name_1"]
    assert all(each.stop_gradient for each in found)
    np.testing.assert_allclose(found[0].numpy(), wanted(net), rtol=1e-6)
    clone = predictor.clone()
    assert clone.run(given)[0].tolist() == found[0].tolist()
    assert clone._layer is predictor._layer
    pool = inference.PredictorPool(config, 2)
    assert pool.retrieve(1).run(given)[0].tolist() == found[0].tolist()
    assert pool.retrieve(1) is not pool.retrieve(0)
    assert (predictor.clear_intermediate_tensor(), predictor.try_shrink_memory()) == (None, 0)


@pytest.mark.parametrize(
    "model",
    [["m.pdmodel", "m.pdiparams"], ["m.json", ""], ["m.signature.json", ""], ["m"], [""]],
)
def test_ways_to_name_a_model(model, folder):
    config = inference.Config(*[os.path.join(folder, each) for each in model])
    assert inference.create_predictor(config).get_input_names() == ["x", "why"]
    assert inference.create_predictor(inference.Config(config)) is not None


def test_a_further_method_has_a_separate_file_as_in_paddle(folder, net):
    config = inference.Config(f"{folder}/m.infer.json", f"{folder}/m.pdiparams")
    predictor = inference.create_predictor(config)
    found = predictor.run([paddle.to_tensor(X[:2])])
    np.testing.assert_allclose(found[0].numpy(), net.linear(paddle.to_tensor(X[:2])).numpy())


def test_bad_calls(config, folder, tmp_path):
    predictor = inference.create_predictor(config)
    x = predictor.get_input_handle("x")
    paddle.jit.save(paddle.nn.ReLU(), f"{tmp_path}/a", [InputSpec([2])])
    paddle.jit.save(paddle.nn.ReLU(), f"{tmp_path}/b", [InputSpec([2])])
    (tmp_path / "theirs.json").write_text("{}")
    calls = [
        (lambda: inference.create_predictor(3), TypeError, "takes a Config"),
        (lambda: inference.Config(3), TypeError, "A Config takes a folder"),
        (lambda: inference.Config("a", "b", "c"), TypeError, "A Config takes a folder"),
        (lambda: inference.Predictor(inference.Config()), RuntimeError, "names no model"),
        (lambda: inference.Config("n.json", "n"), RuntimeError, "Cannot open file n.json"),
        (lambda: inference.Predictor(inference.Config("n")), RuntimeError, "Cannot open file n,"),
        (lambda: inference.Predictor(inference.Config(str(tmp_path))), ValueError, "are 2 models"),
        (
            lambda: inference.Config(f"{tmp_path}/theirs.json", ""),
            RuntimeError,
            "theirs.json is a file of Paddle",
        ),
        (lambda: predictor.get_input_handle("no"), RuntimeError, "there are x, why"),
        (lambda: predictor.get_output_handle("no"), RuntimeError, "there are fetch_name_0"),
        (lambda: x.copy_from_cpu([1.0]), TypeError, "we only support numpy ndarray"),
        (lambda: x.copy_from_cpu(["a"]), NotImplementedError, "Strings are not tensors"),
        (lambda: x.share_external_data(X), TypeError, "received ndarray"),
        (lambda: predictor.run([paddle.to_tensor(X)]), ValueError, "need 2 but get 1"),
        (lambda: predictor.run([X, Y]), TypeError, "received ndarray"),
        (
            lambda: predictor.run([paddle.to_tensor(X.astype("float64")), paddle.to_tensor(Y)]),
            ValueError,
            r"x was saved as float32\[.*, 2\], but received float64",
        ),
        (lambda: predictor.register_output_hook(print), NotImplementedError, "one compiled"),
        (lambda: predictor.register_input_hook(print), NotImplementedError, "one compiled"),
        (lambda: inference.PredictorPool(config, 0), ValueError, "greater than 1, but it's .0."),
        (lambda: inference.PredictorPool(config, 1).retrieve(1), ValueError, "and no 1"),
    ]
    for call, error, message in calls:
        with pytest.raises(error, match=message):
            call()


# ---- the settings


def test_settings_without_effect_are_reported_once(caplog, monkeypatch, config):
    monkeypatch.setattr(config_file, "_said", set())
    with caplog.at_level(logging.WARNING, "jaxeager.inference"):
        config.enable_memory_optim()
        config.enable_mkldnn()
        config.set_trt_dynamic_shape_info({"x": [1]}, {"x": [1]}, {"x": [1]})
        config.delete_pass("a")
        config.delete_pass("b")
    assert caplog.text.count("changes nothing here") == 4
    assert caplog.text.count("delete_pass") == 1


def test_settings_can_be_read_back(config, folder):
    config.switch_ir_optim(False)
    config.set_cpu_math_library_num_threads(4)
    config.disable_glog_info()
    config.switch_specify_input_names()
    config.switch_use_feed_fetch_ops(False)
    asked = "ir_optim cpu_math_library_num_threads glog_info_disabled specify_input_name use_gpu"
    assert [getattr(config, name)() for name in asked.split()] == [False, 4, True, True, False]
    assert config.tensorrt_precision_mode() == inference.PrecisionType.Float32
    assert inference.Config(config).ir_optim() is False
    assert inference.Config().ir_optim() is True
    assert (config.prog_file(), config.model_dir()) == (f"{folder}/m.json", "")
    assert "m.json" in config.summary()
    config.set_model("here")
    assert (config.prog_file(), config.model_dir()) == ("", "here")
    config.set_prog_file("a")
    config.set_params_file("b")
    assert (config.prog_file(), config.params_file()) == ("a", "b")


def test_without_a_gpu_it_stays_on_the_cpu_and_says_so(caplog, config):
    import jax

    if jax.default_backend() != "cpu":
        pytest.skip("there is a GPU")
    with caplog.at_level(logging.WARNING, "jaxeager.inference"):
        config.enable_use_gpu(200, 1)
    assert "JAX has no GPU here" in caplog.text
    assert (config.use_gpu(), config.memory_pool_init_size_mb()) == (False, 200)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("enable_tensorrt_engine", "needs TensorRT"), ("enable_xpu", "an XPU"),
        ("enable_cinn", "CINN"), ("enable_ipu", "an IPU"), ("pass_builder", "passes"),
    ],
)  # fmt: skip
def test_options_of_other_engines_raise(name, error, config):
    with pytest.raises(RuntimeError, match=error):
        getattr(config, name)()
    with pytest.raises(ValueError, match="dtypes that the model was saved with"):
        config.enable_low_precision_io()
    with pytest.raises(NotImplementedError, match="read from files"):
        config.set_model_buffer(b"", 0, b"", 0)


def test_kinds_and_versions():
    sizes = {each.name: inference.get_num_bytes_of_data_type(each) for each in inference.DataType}
    assert (sizes["FLOAT32"], sizes["INT64"], sizes["BOOL"], sizes["BFLOAT16"]) == (4, 8, 1, 2)
    assert repr(inference.DataType.FLOAT32) == "<DataType.FLOAT32: 0>"
    assert int(inference.PlaceType.GPU) == 1
    assert inference.Config.Precision is inference.PrecisionType
    assert inference.get_trt_runtime_version() == inference.get_trt_compile_version() == (0, 0, 0)
    with pytest.raises(NotImplementedError, match="Programs are not rewritten"):
        inference.convert_to_mixed_precision("a", "b", "c", "d")
