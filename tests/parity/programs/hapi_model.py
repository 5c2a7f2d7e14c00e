"""paddle.Model: training, evaluation, prediction, callbacks, files."""

import contextlib
import io
import os
import re
import tempfile
import warnings

from ..probe import attempt
from ..registry import differs, exchange, program

CURVES = {
    "rtol": 1e-4,
    "reason": "float32 rounding of whole steps adds up; 1e-4 is what the project promises",
}


def _fill(np, layer, seed=91):
    r = np.random.default_rng(seed)
    for parameter in layer.parameters():
        parameter.set_value((r.normal(size=parameter.shape) * 0.4).astype("float32"))
    return layer


def _data(paddle, np, count=22, seed=92):
    """Returns a Dataset of 3 numbers and a label of 3 classes."""

    class Data(paddle.io.Dataset):
        def __init__(self):
            super().__init__()
            self.x = np.random.default_rng(seed).normal(size=(count, 3)).astype("float32")

        def __getitem__(self, index):
            return self.x[index], np.array([self.x[index].argmax()])

        def __len__(self):
            return count

    return Data()


def _model(paddle, np, rate=0.1, metrics=True, **more):
    """Returns a prepared Model of two layers."""
    nn = paddle.nn
    net = _fill(np, nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 3)))
    model = paddle.Model(net, **more)
    optimizer = paddle.optimizer.Adam(rate, parameters=model.parameters())
    measured = [paddle.metric.Accuracy((1, 2))] if metrics else None
    model.prepare(optimizer, nn.CrossEntropyLoss(), measured)
    return model


def _plain(logs, wanted=None):
    """Returns logs with plain numbers, sorted; of the wanted keys, all when None."""
    if logs is None:
        return None
    out = {}
    for key, value in sorted(logs.items()):
        if wanted is not None and key not in wanted:
            continue
        listed = isinstance(value, list)
        found = [float(v) if not isinstance(v, str) else v for v in (value if listed else [value])]
        out[key] = found if listed else found[0]
    return out


def _recorder(paddle, wanted):
    """Returns a callback that keeps the logs it gets at the end of things."""

    class Recorder(paddle.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.seen = []

    def method(name):
        def called(self, *arguments):
            # Paddle's logs hold what earlier runs of any Model left there too.
            wanted = [*self.params["metrics"], "step", "batch_size", "steps", "metrics"]
            logs = arguments[-1] if name.endswith("end") else None
            first = arguments[0] if len(arguments) > 1 else None
            self.seen.append([name, first, _plain(logs, wanted)])

        return called

    for name in wanted.split():
        setattr(Recorder, f"on_{name}", method(name))
    return Recorder()


def _said(call):
    """Returns what a call prints, without times and what moves the cursor."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        call()
    text = stream.getvalue().replace("\b", "")
    text = re.sub(r" - (ETA: )?[\d:]+(s|ms|us)?(/step)?(?= |\r|\n|$)", "", text)
    text = re.sub(r"[\d.]+ (sec|samples/sec)", "T", text)
    return [line.rstrip() for part in text.split("\n") for line in part.split("\r")]


BATCHES = "train_begin epoch_begin train_batch_end epoch_end"
EVALS = "eval_begin eval_batch_end eval_end"
PREDICTS = "predict_begin predict_batch_begin predict_batch_end predict_end"


@program(**CURVES)
def hapi_fit(paddle, np):
    """Every log of fit with an evaluation after each epoch, shuffled by epoch."""
    model, seen = _model(paddle, np), _recorder(paddle, f"{BATCHES} {EVALS}")
    model.fit(
        _data(paddle, np), _data(paddle, np, 7, seed=3), batch_size=4, epochs=3, verbose=0,
        callbacks=seen,
    )  # fmt: skip
    weights = [p.numpy() for p in model.parameters()]
    return [seen.seen, weights, model.mode, model.stop_training, seen.params]


@program(**CURVES)
def hapi_fit_arguments(paddle, np):
    """drop_last, no shuffle, accumulated gradients, num_iters, eval_freq, batch sizes."""
    found = {}
    for text, more in {
        "drop": {"drop_last": True, "shuffle": False},
        "accumulate": {"accumulate_grad_batches": 3},
        "iters": {"num_iters": 8},
        "few iters": {"num_iters": 2},
        "eval": {"eval_data": _data(paddle, np, 5), "eval_freq": 2, "batch_size": [4, 2]},
    }.items():
        model, seen = _model(paddle, np, metrics=False), _recorder(paddle, f"{BATCHES} {EVALS}")
        more = {"batch_size": 4, "epochs": 2, **more}
        model.fit(_data(paddle, np), verbose=0, callbacks=[seen], **more)
        found[text] = [seen.seen, model.network[2].bias.numpy()]
    return found


@program(**CURVES)
def hapi_data(paddle, np):
    """A DataLoader, a list of batches, pairs of inputs and labels."""
    data = _data(paddle, np, 8)
    x, y = data.x, data.x.argmax(1)[:, None]
    found = {}
    for text, batches in {
        "loader": paddle.io.DataLoader(data, batch_size=4),
        "list": [[x[:4], y[:4]], [x[4:], y[4:]]],
        "pairs": [([x[:5]], [y[:5]]), ([x[5:]], [y[5:]])],
    }.items():
        model, seen = _model(paddle, np), _recorder(paddle, BATCHES)
        model.fit(batches, epochs=2, verbose=0, callbacks=seen)
        found[text] = seen.seen
        found[f"{text} evaluate"] = _plain(model.evaluate(batches, verbose=0))
    return found


@program(rtol=1e-4, reason="the numbers printed are rounded from those of whole steps")
def hapi_fit_text(paddle, np):
    """What fit, evaluate and predict print."""
    found = {}
    for verbose in (1, 2):
        model = _model(paddle, np, rate=0.01)
        data = _data(paddle, np, 10)
        found[f"fit {verbose}"] = _said(
            lambda m=model, v=verbose, d=data: m.fit(
                d, d, batch_size=3, epochs=2, log_freq=2, verbose=v, shuffle=False
            )
        )
        found[f"evaluate {verbose}"] = _said(
            lambda m=model, v=verbose, d=data: m.evaluate(d, batch_size=4, log_freq=1, verbose=v)
        )
        found[f"predict {verbose}"] = _said(
            lambda m=model, v=verbose, d=data: m.predict(d, batch_size=4, verbose=v)
        )
        batches = ([d, d] for d in (data.x[:3], data.x[3:6]))
        found[f"generator {verbose}"] = _said(
            lambda m=model, v=verbose, b=batches: m.predict(b, verbose=v)
        )
    model = _model(paddle, np, metrics=False)
    costs = _said(lambda: model.fit(_data(paddle, np, 4), batch_size=2, verbose=3, log_freq=1))
    found["times"] = costs[:2]
    return found


@program(**CURVES)
def hapi_evaluate_and_predict(paddle, np):
    """Values, stacked outputs, two outputs, num_iters, logs of prediction."""
    model, data = _model(paddle, np), _data(paddle, np, 7)
    seen = _recorder(paddle, f"{EVALS} {PREDICTS}")
    found = {"evaluate": _plain(model.evaluate(data, batch_size=3, verbose=0, callbacks=seen))}
    found["iters"] = _plain(model.evaluate(data, batch_size=3, verbose=0, num_iters=1))
    outputs = model.predict(data, batch_size=3, verbose=0, callbacks=seen)
    found["predict"] = [len(outputs), type(outputs[0]).__name__, list(outputs[0])]
    found["stacked"] = model.predict(data, batch_size=3, stack_outputs=True, verbose=0)
    found["seen"] = seen.seen

    class Two(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(3, 2)

        def forward(self, x):
            return self.linear(x), x * 2

    two = paddle.Model(_fill(np, Two()))
    two.prepare()
    found["two"] = two.predict(data, batch_size=4, stack_outputs=True, verbose=0)
    return found


@program(**CURVES)
def hapi_batches(paddle, np):
    """train_batch, eval_batch, predict_batch: what they return, with and without metrics."""
    x = np.random.default_rng(5).normal(size=(4, 3)).astype("float32")
    y = x.argmax(1)[:, None]
    found = {}
    for text, metrics in (("metrics", True), ("plain", False)):
        model = _model(paddle, np, metrics=metrics)
        for name, call in {
            "train": lambda m: m.train_batch([x], [y]),
            "keep": lambda m: m.train_batch([x], [y], update=False),
            "again": lambda m: m.train_batch([paddle.to_tensor(x)], [paddle.to_tensor(y)]),
            "eval": lambda m: m.eval_batch([x], [y]),
            "predict": lambda m: m.predict_batch([x]),
        }.items():
            out = call(model)
            parts = out if isinstance(out, tuple) else (out,)
            found[f"{text} {name}"] = [
                type(out).__name__, [np.array(part, "float64") for part in parts], model.mode,
                model.network.training,
            ]  # fmt: skip
    bare = paddle.Model(paddle.nn.Linear(3, 3))
    bare.prepare()
    found["no loss"] = bare.eval_batch([x], [y])
    found["not ready"] = attempt(lambda: bare.train_batch([x], [y]))
    return found


@program(**CURVES)
def hapi_several_losses(paddle, np):
    """Two inputs, a loss function of one's own that gives two losses."""

    class Add(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(3, 1)

        def forward(self, a, b):
            return self.linear(a) + b, a

    model = paddle.Model(_fill(np, Add()))
    optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    model.prepare(optimizer, lambda y, a, label: [((y - label) ** 2).mean(), a.abs().mean()])
    r = np.random.default_rng(6)
    batches = [[r.normal(size=(2, n)).astype("float32") for n in (3, 1, 1)] for _ in range(3)]
    seen = _recorder(paddle, BATCHES)
    model.fit(batches, verbose=0, callbacks=seen)
    return [seen.seen, _plain(model.evaluate(batches, verbose=0))]


@program(**CURVES)
def hapi_learning_rates(paddle, np):
    """LRScheduler by step and by epoch, ReduceLROnPlateau."""
    found = {}
    for text, callbacks in {
        "step": [],
        "epoch": [paddle.callbacks.LRScheduler(by_step=False, by_epoch=True)],
    }.items():
        model = _model(paddle, np, metrics=False)
        rate = paddle.optimizer.lr.StepDecay(0.1, 2, gamma=0.5)
        model.prepare(
            paddle.optimizer.SGD(rate, parameters=model.parameters()), paddle.nn.CrossEntropyLoss()
        )
        model.fit(_data(paddle, np), batch_size=8, epochs=3, verbose=0, callbacks=callbacks)
        found[text] = [rate.last_epoch, rate.get_lr(), model.network[2].bias.numpy()]
    model, data = _model(paddle, np), _data(paddle, np, 6)
    callback = paddle.callbacks.ReduceLROnPlateau(
        "loss", 0.5, patience=1, cooldown=1, min_lr=0.01, min_delta=10.0
    )
    optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    model.prepare(optimizer, paddle.nn.CrossEntropyLoss())
    found["said"] = _said(
        lambda: model.fit(data, data, batch_size=6, epochs=8, verbose=0, callbacks=callback)
    )
    found["rate"] = [optimizer.get_lr(), callback.wait, callback.cooldown_counter, callback.epoch]
    found["refused"] = [
        attempt(lambda: paddle.callbacks.LRScheduler(True, True)),
        attempt(lambda: paddle.callbacks.ReduceLROnPlateau(factor=1.0)),
    ]
    return found


@program(**CURVES)
def hapi_early_stopping(paddle, np):
    """Patience, modes, a baseline, the best model."""
    found = {}
    data = _data(paddle, np, 8)
    for text, more in {
        "patience": {"patience": 2, "min_delta": 10.0},
        "impatient": {"patience": 0},
        "accuracy": {"monitor": "acc_top1", "patience": 1, "baseline": 2.0},
        "max": {"monitor": "loss", "mode": "max", "patience": 2, "verbose": 0},
    }.items():
        model = _model(paddle, np)
        callback = paddle.callbacks.EarlyStopping(**more)
        said = _said(
            lambda m=model, c=callback: m.fit(
                data, data, batch_size=4, epochs=6, verbose=0, callbacks=[c]
            )
        )
        found[text] = [
            said, callback.wait_epoch, callback.stopped_epoch, float(callback.best_value),
            model.stop_training,
        ]  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lone = paddle.callbacks.EarlyStopping(mode="middle")
        _model(paddle, np).fit(data, batch_size=8, verbose=0, callbacks=lone)
        other = paddle.callbacks.EarlyStopping("f1")
        _model(paddle, np).fit(data, data, batch_size=8, verbose=0, callbacks=other)
    found["warned"] = [str(w.message) for w in caught if "EarlyStopping" in str(w.message)]
    return found


@program(**CURVES)
def hapi_checkpoints(paddle, np):
    """What fit saves, the text it prints, loading it again, parameters that do not match."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        with paddle.utils.unique_name.guard():
            model, data = _model(paddle, np), _data(paddle, np, 8)
            x, y = [data.x], [data.x.argmax(1)[:, None]]
            said = _said(
                lambda: model.fit(
                    data,
                    data,
                    batch_size=4,
                    epochs=3,
                    verbose=0,
                    save_dir=folder,
                    save_freq=2,
                    callbacks=[paddle.callbacks.EarlyStopping(patience=9)],
                )
            )
        found["said"] = [line.replace(os.path.abspath(folder), "F") for line in said]
        found["files"] = sorted(os.listdir(folder))
        with paddle.utils.unique_name.guard():
            other = _model(paddle, np)
            other.load(f"{folder}/final")
            found["loaded"] = [p.numpy() for p in other.parameters()]
            found["goes on"] = np.array(other.train_batch(x, y)[0])
        found["as the first"] = np.array(model.train_batch(x, y)[0])
        other.load(f"{folder}/0.pdparams", reset_optimizer=True)
        found["first"] = other.network[0].bias.numpy()
        wide = paddle.Model(paddle.nn.Sequential(paddle.nn.Linear(3, 9)))
        found["shape"] = attempt(lambda: wide.load(f"{folder}/final"))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            # Paddle raises when the first one does not match.
            with contextlib.suppress(UnboundLocalError):
                wide.load(f"{folder}/final", skip_mismatch=True)
        found["skipped"] = str(caught[0].message)[:27]
        found["no file"] = attempt(lambda: wide.load(f"{folder}/nobody"))["error"]
        found["ending"] = attempt(lambda: wide.load(f"{folder}/final.txt"))
    return found


def _write_a_model(paddle, np, folder):
    model, data = _model(paddle, np), _data(paddle, np, 8)
    model.fit(data, batch_size=4, epochs=2, verbose=0, shuffle=False)
    model.save(f"{folder}/model")


@exchange(_write_a_model)
def hapi_model_files(paddle, np, folder):
    """Loads a Model that the other library saved, and trains it on."""
    model, data = _model(paddle, np), _data(paddle, np, 8)
    for mine, key in zip(model.parameters(), model.network.state_dict(), strict=True):
        assert mine.shape == model.network.state_dict()[key].shape
    model.load(f"{folder}/model", reset_optimizer=True)
    losses = [float(model.train_batch([data.x], [data.x.argmax(1)[:, None]])[0][0])]
    return [sorted(os.listdir(folder)), losses, model.network[0].bias.numpy()]


@program
def hapi_refused(paddle, np):
    """Arguments that cannot be."""
    model = _model(paddle, np)
    data = _data(paddle, np, 4)
    return {
        "loss": attempt(lambda: model.prepare(None, 3)),
        "metric": attempt(lambda: model.prepare(None, None, [3])),
        "data": attempt(lambda: model.fit()),
        "sizes": attempt(lambda: _model(paddle, np).fit(data, batch_size=[1, 2, 3], verbose=0)),
        "level": attempt(lambda: model.prepare(None, None, None, "O7")),
        "setting": attempt(lambda: model.prepare(amp_configs={"level": "O1", "speed": 3}))["error"],
        "no size": attempt(lambda: paddle.Model(paddle.nn.Linear(2, 2)).parameters()) is not None,
    }


@differs(
    "the dict of values is a default argument, which all runs of all Models share",
    right=[["batch_size", "step"], False],
    paddle_gives=[["batch_size", "loss", "step"], True],
)
def hapi_logs_of_other_runs(paddle, np):
    """The values that prediction knows after training, and training's after an evaluation."""
    model, data = _model(paddle, np, metrics=False), _data(paddle, np, 4)
    ends = []

    class Ends(paddle.callbacks.Callback):
        def on_train_end(self, logs=None):
            ends.append(logs)

        def on_eval_end(self, logs=None):
            ends.append(logs)

        def on_predict_end(self, logs=None):
            ends.append(logs)

    model.fit(data, data, batch_size=4, verbose=0, callbacks=Ends())
    model.predict(data, batch_size=4, verbose=0, callbacks=Ends())
    known = {"batch_size", "loss", "step"}
    return [sorted(known & set(ends[2])), ends[0] is ends[1]]


@differs(
    "the callback writes the rate that is shown, and the optimizer steps on with its first one",
    right=[0.0005, 0.0005],
    paddle_gives=[0.0005, 0.5],
)
def hapi_a_rate_that_falls(paddle, np):
    """ReduceLROnPlateau: the rate that is shown, and the one of the next step."""
    net = paddle.nn.Linear(3, 1)
    model = paddle.Model(net)
    optimizer = paddle.optimizer.SGD(0.5, parameters=net.parameters())
    model.prepare(optimizer, lambda out, label: out.sum() * 0.0)
    falls = paddle.callbacks.ReduceLROnPlateau(monitor="loss", factor=0.1, patience=1, verbose=0)
    data = _data(paddle, np, 4)
    model.fit(data, data, epochs=4, batch_size=4, verbose=0, callbacks=[falls])
    shown, before = optimizer.get_lr(), net.weight.numpy()
    net.weight.sum().backward()
    optimizer.step()
    moved = float((before - net.weight.numpy()).mean())
    return [round(shown, 6), round(moved, 4)]
