"""Model: mixed precision, files, data, and the effects of its callbacks."""

import os

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

X = np.random.default_rng(1).normal(size=(12, 3)).astype("float32")
Y = X.argmax(1)[:, None]
DATA = paddle.io.TensorDataset([paddle.to_tensor(X), paddle.to_tensor(Y)])


def prepared(amp_configs=None, metrics=None, **more):
    model = paddle.Model(nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3)), **more)
    optimizer = paddle.optimizer.Adam(0.05, parameters=model.parameters())
    model.prepare(optimizer, nn.CrossEntropyLoss(), metrics, amp_configs)
    return model


def loss_of(model):
    return model.evaluate(DATA, batch_size=12, verbose=0)["loss"][0]


def test_training_lowers_the_loss():
    model = prepared(metrics=paddle.metric.Accuracy())
    before = loss_of(model)
    model.fit(DATA, batch_size=4, epochs=20, verbose=0)
    assert loss_of(model) < before / 2
    assert model.evaluate(DATA, batch_size=5, verbose=0)["acc"] == 1.0


@pytest.mark.parametrize(
    "configs",
    [
        pytest.param("O1", marks=pytest.mark.deep),
        {"level": "O1", "init_loss_scaling": 8.0, "custom_black_list": {"matmul"}},
    ],
)
def test_training_in_mixed_precision(configs):
    model = prepared(configs)
    before = loss_of(model)
    model.fit(DATA, batch_size=4, epochs=5, verbose=0)
    assert loss_of(model) < before
    assert model._precision.scaler is not None


def test_the_forward_pass_alone_is_cast():
    model, seen = prepared("O1"), []
    model.network[0].register_forward_post_hook(lambda layer, x, out: seen.append(str(out.dtype)))
    model.train_batch([X], [Y])
    model.eval_batch([X], [Y])
    assert seen == ["paddle.float16", "paddle.float32"]


@pytest.mark.parametrize("configs", ["O3", {"level": "O3"}, {"speed": 2}])
def test_unknown_precision_is_refused(configs):
    with pytest.raises(InvalidArgumentError, match="amp_configs"):
        prepared(configs)


def test_something_else_than_a_network_or_optimizer_is_refused():
    with pytest.raises(InvalidTypeError, match=r"takes a paddle\.nn\.Layer, but"):
        paddle.Model(5)
    model = paddle.Model(paddle.nn.Linear(2, 1))
    with pytest.raises(InvalidTypeError, match="Optimizer, but received 'sgd'"):
        model.prepare("sgd", paddle.nn.MSELoss())


def test_a_loaded_model_continues_where_the_saved_one_stopped(tmp_path):
    losses = []
    with paddle.utils.unique_name.guard():
        model = prepared("O1")
        model.train_batch([X], [Y])
        model.save(str(tmp_path / "m"))
    assert sorted(os.listdir(tmp_path)) == ["m.pdopt", "m.pdparams", "m.pdscaler"]
    with paddle.utils.unique_name.guard():
        other = prepared("O1")
        other.load(str(tmp_path / "m"))
    for each in (model, other):
        losses.append([float(each.train_batch([X], [Y])[0]) for _ in range(3)])
    assert losses[0] == losses[1]


def test_parameters_that_do_not_match_are_left_alone(tmp_path):
    model = prepared()
    model.save(str(tmp_path / "m"))
    other = paddle.Model(nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4)))
    before = other.network[2].weight.numpy()
    with pytest.raises(InvalidArgumentError, match=r"2\.weight receives a shape"):
        other.load(str(tmp_path / "m"))
    with pytest.warns(UserWarning, match="Skip loading for 2"):
        other.load(str(tmp_path / "m"), skip_mismatch=True)
    assert np.array_equal(other.network[0].weight.numpy(), model.network[0].weight.numpy())
    assert np.array_equal(other.network[2].weight.numpy(), before)


def test_a_program_for_inference_has_the_inputs_of_the_model(tmp_path):
    path = str(tmp_path / "m")
    network = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5))
    spec = paddle.static.InputSpec([None, 3], "float32", "x")
    model = paddle.Model(network, spec)
    model.save(path, training=False)
    assert "m.pdparams" not in os.listdir(tmp_path)
    loaded = paddle.jit.load(path)
    assert loaded.method("forward").inputs == ["x"]
    x = paddle.ones([5, 3])
    assert loaded(x).tolist() == network[0](x).tolist()


def test_a_program_for_inference_has_the_inputs_of_a_batch(tmp_path):
    path = str(tmp_path / "m")
    model = paddle.Model(nn.Linear(3, 2))
    with pytest.raises(RuntimeError, match="needs 'inputs' or running before saving"):
        model.save(path, training=False)
    assert os.listdir(tmp_path) == []
    model.prepare()
    model.predict_batch([np.ones((4, 3), "float32")])
    with pytest.warns(UserWarning, match="its first size left open"):
        model.save(path, training=False)
    assert paddle.jit.load(path)(paddle.ones([7, 3])).shape == [7, 2]


def test_specifications_say_which_parts_of_a_batch_are_inputs():
    class Spec:
        name, shape = "x", [None, 3]

    class Sum(nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(3, 3)

        def forward(self, x, scale=1.0):
            return self.linear(x) * scale

    model = paddle.Model(Sum(), inputs=[Spec()])
    model.prepare(None, nn.CrossEntropyLoss())
    assert model.evaluate(DATA, batch_size=12, verbose=0)["loss"][0] > 0
    assert model.summary()["total_params"] == 12

    class Nameless(Spec):
        name = None

    with pytest.raises(InvalidArgumentError, match=r"Requires Input\[0\].name != None"):
        paddle.Model(Sum(), inputs=[Nameless()])


def test_a_callback_stops_training_and_the_next_run_starts_again():
    class Stop(paddle.callbacks.Callback):
        epochs = 0

        def on_epoch_end(self, epoch, logs=None):
            self.epochs += 1
            self.model.stop_training = True

    model, stop = prepared(), Stop()
    model.fit(DATA, batch_size=6, epochs=5, verbose=0, callbacks=stop)
    assert stop.epochs == 1
    model.fit(DATA, batch_size=6, epochs=5, verbose=0)
    assert not model.stop_training


def test_evaluating_a_few_batches_does_not_stop_training():
    model = prepared()
    model.evaluate(DATA, batch_size=4, num_iters=1, verbose=0)
    assert not model.stop_training


def test_batches_add_up_to_one():
    one, four = prepared(), prepared()
    four.network.set_state_dict(one.network.state_dict())
    sgd = [paddle.optimizer.SGD(0.1, parameters=m.parameters()) for m in (one, four)]
    for model, optimizer in zip((one, four), sgd, strict=True):
        model.prepare(optimizer, nn.CrossEntropyLoss(reduction="sum"))
    one.fit(DATA, batch_size=12, verbose=0, shuffle=False)
    four.fit(DATA, batch_size=3, verbose=0, shuffle=False, accumulate_grad_batches=4)
    for a, b in zip(one.parameters(), four.parameters(), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-6)


def test_nothing_runs_before_prepare():
    model = paddle.Model(nn.Linear(3, 3))
    with pytest.raises(AssertionError, match=r"please call `model\.prepare"):
        model.predict(DATA, batch_size=4, verbose=0)
    model.prepare(loss=nn.CrossEntropyLoss())
    with pytest.raises(AssertionError, match="with an optimizer and a loss"):
        model.train_batch([X], [Y])


def test_a_model_without_a_loss_is_not_fitted():
    model = prepared()
    model._loss = None
    with pytest.raises(AssertionError, match="with an optimizer and a loss"):
        model.fit(DATA)
