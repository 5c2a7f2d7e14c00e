"""jit.save, jit.load and paddle.inference: what a saved program gives, takes and refuses."""

import os
import tempfile
import warnings

from ..probe import error_of
from ..registry import program


def _fill(np, layer, seed=17):
    """Gives the parameters of a Layer values that depend on the seed alone."""
    r = np.random.default_rng(seed)
    for each in layer.parameters():
        each.set_value((r.normal(size=each.shape) * 0.4).astype("float32") ** 2)
    return layer


def _saved(paddle, layer, spec, **configs):
    """Returns (what is loaded, a Predictor of the same files)."""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "net")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        paddle.jit.save(layer, path, spec, **configs)
    config = paddle.inference.Config(path + ".json", path + ".pdiparams")
    config.disable_gpu()
    config.disable_glog_info()
    return paddle.jit.load(path), paddle.inference.create_predictor(config)


def _shown(found):
    return [each.numpy() for each in (found if isinstance(found, list) else [found])]


@program
def saved_networks(paddle, np):
    """Outputs of a convolutional, a recurrent and a feed-forward network, by both ways to run."""
    nn, spec = paddle.nn, paddle.static.InputSpec
    r = np.random.default_rng(3)
    cases = [
        (
            nn.Sequential(
                nn.Conv2D(1, 2, 3, padding=1), nn.BatchNorm2D(2), nn.ReLU(), nn.MaxPool2D(2, 2),
                nn.Flatten(), nn.Dropout(0.5), nn.Linear(18, 3),
            ),
            [None, 1, 6, 6],
        ),
        (nn.LSTM(2, 3), [None, None, 2]),
        (nn.Linear(2, 3), [None, 2]),
    ]  # fmt: skip
    found = []
    for layer, shape in cases:
        loaded, predictor = _saved(paddle, _fill(np, layer), [spec(list(shape), "float32")])
        for batch in (1, 4):
            x = r.normal(size=[batch, *[5 if n is None else n for n in shape[1:]]])
            x = x.astype("float32")
            found += _shown(loaded(paddle.to_tensor(x)))
            predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x)
            predictor.run()
            found += [
                predictor.get_output_handle(name).copy_to_cpu()
                for name in predictor.get_output_names()
            ]
        found.append((predictor.get_input_names(), predictor.get_output_names(), loaded.training))
    return found


@program
def saved_arguments(paddle, np):
    """Names of inputs, and outputs, of functions with several arguments, lists and dicts."""
    spec = paddle.static.InputSpec

    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(2, 3)

    class Two(Net):
        def forward(self, x, y, scale=2.0):
            return self.linear(x) * scale + y

    class Lists(Net):
        def forward(self, xs):
            return [self.linear(xs[0]) + xs[1], {"b": xs[0] * 2, "a": xs[1] * 3, "n": None}]

    class Dicts(Net):
        def forward(self, given):
            return (self.linear(given["u"]) + given["a"],)

    def two():  # anew each time: Paddle gives names to those that have none
        return spec([None, 2]), spec([None, 3])

    named = [spec([None, 2]), spec([None, 3], name="why")]
    cases = [
        (Two(), named, "xy"), (Two(), [*two(), 5.0], "xy"), (Lists(), [list(two())], "xy"),
        (Dicts(), [dict(zip("ua", two(), strict=True))], "yx"),
    ]  # fmt: skip
    values = {
        "x": np.linspace(-1, 1, 8).reshape(4, 2).astype("float32"),
        "y": np.linspace(0, 1, 12).reshape(4, 3).astype("float32"),
    }
    found = []
    for layer, given, order in cases:
        loaded, predictor = _saved(paddle, _fill(np, layer), given)
        out = loaded(*[paddle.to_tensor(values[name]) for name in order])
        found += [type(out).__name__, predictor.get_input_names(), *_shown(out)]
    return found


@program
def saved_methods(paddle, np):
    """Marked methods, one of which was called, and numbers of outputs."""
    spec = paddle.static.InputSpec

    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(2, 3)

        @paddle.jit.to_static(input_spec=[spec([None, 2])])
        def forward(self, x):
            return self.linear(x), x * 2, x * 3

        @paddle.jit.to_static
        def infer(self, x):
            return self.linear(x) + 1

    x = paddle.to_tensor(np.linspace(-1, 1, 8).reshape(4, 2).astype("float32"))
    net = _fill(np, Net())
    net.infer(x)
    loaded, _ = _saved(paddle, net, None, output_spec=None)
    again = [_shown(loaded(x)), _shown(loaded.infer(x))]

    @paddle.jit.to_static(input_spec=[spec([None, 2], name="q")])
    def several(x):
        return x, x * 2, x * 3

    chosen, _ = _saved(paddle, several, None, output_spec=[2, 1])
    return [*again, _shown(chosen(x))]


@program
def saved_and_trained_further(paddle, np):
    """Losses and gradients of a loaded Layer in training, and whether a parameter is frozen."""
    nn = paddle.nn
    net = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1D(4), nn.Tanh(), nn.Linear(4, 1))
    net[0].bias.stop_gradient = True
    _fill(np, net)
    loaded, _ = _saved(paddle, net, [paddle.static.InputSpec([None, 2], "float32")])
    r = np.random.default_rng(5)
    x = paddle.to_tensor(r.normal(size=(8, 2)).astype("float32"), stop_gradient=False)
    wanted = paddle.to_tensor(r.normal(size=(8, 1)).astype("float32"))
    loaded.train()
    optimizer = paddle.optimizer.Adam(0.1, parameters=loaded.parameters())
    losses = []
    for _ in range(3):
        loss = nn.functional.mse_loss(loaded(x), wanted)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.numpy())
    shapes = sorted((list(p.shape), p.stop_gradient) for p in loaded.parameters())
    return [losses, x.grad.numpy(), shapes, sorted(list(each.shape) for each in net.parameters())]


@program
def saved_refusals(paddle, np):
    """Errors of save, load, a loaded Layer and a Predictor."""
    nn, spec = paddle.nn, paddle.static.InputSpec
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "net")
    layer = nn.Linear(2, 3)
    given = [spec([None, 2], "float32")]
    loaded, predictor = _saved(paddle, layer, given)
    x = paddle.ones([4, 2])
    calls = [
        lambda: paddle.jit.save(3, path),
        lambda: paddle.jit.save(layer, path),
        lambda: paddle.jit.save(layer, folder + "/", given),
        lambda: paddle.jit.save(layer, path, given[0]),
        lambda: paddle.jit.save(layer, path, given * 2),
        lambda: paddle.jit.save(layer, path, given, wrong=1),
        lambda: paddle.jit.load(path),
        lambda: loaded(x.astype("float64")),
        lambda: loaded([x]),
        lambda: paddle.inference.Config(path + ".json", path + ".pdiparams"),
        lambda: paddle.inference.Config(3),
        lambda: paddle.inference.create_predictor(3),
        lambda: predictor.run([x, x]),
        lambda: predictor.get_input_handle("no"),
        lambda: predictor.get_input_handle("input").copy_from_cpu([1.0]),
        lambda: paddle.hub.list(folder, source="web"),
        lambda: paddle.hub.list(folder, source="local"),
    ]
    return [error_of(call) for call in calls]
