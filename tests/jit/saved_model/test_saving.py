"""jit.save and jit.load: the same values without the class."""

import copy
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.jit.saved_model import files
from jaxeager.nn import functional as F
from jaxeager.static import InputSpec
from tests.jit.saved_model import saved_layers
from tests.jit.saved_model.saved_layers import Forward, close, random, saved
from tests.support.processes import printed_by

ROOT = Path(__file__).resolve().parents[3]


# ---- the same values


@pytest.mark.deep  # one for images of any size is below
def test_a_convolutional_network(tmp_path):
    net = paddle.vision.models.LeNet()
    loaded = saved(net, [InputSpec([None, 1, 28, 28], "float32", "image")], tmp_path)
    net.eval()
    for batch in (1, 3):
        x = random(batch, 1, 28, 28)
        close(loaded(x), net(x))
    assert list(loaded.state_dict()) == list(net.state_dict())


def test_a_recurrent_network_of_any_length(tmp_path):
    net = paddle.nn.LSTM(2, 3, direction="bidirect")
    loaded = saved(net, [InputSpec([None, None, 2])], tmp_path)
    for batch, steps in ((2, 5), (1, 1)):
        x = random(batch, steps, 2)
        out, (hidden, cell) = net(x)
        found = loaded(x)
        assert isinstance(found, list)
        for each, wanted in zip(found, (out, hidden, cell), strict=True):
            close(each, wanted)


@pytest.mark.deep  # test_open_sizes.py has its attention
def test_a_transformer_of_any_length(tmp_path):
    net = paddle.nn.TransformerEncoderLayer(8, 2, 16)
    loaded = saved(net, [InputSpec([None, None, 8])], tmp_path)
    net.eval()
    x = random(2, 5, 8)
    close(loaded(x), net(x))


def test_a_convolutional_network_for_images_of_any_size(tmp_path):
    nn = paddle.nn
    net = nn.Sequential(
        nn.Conv2D(3, 4, 3, padding=1), nn.BatchNorm2D(4), nn.MaxPool2D(3, 2, 1),
        nn.Conv2D(4, 4, 3, groups=4), nn.AvgPool2D(2, ceil_mode=True, padding=1),
        nn.AdaptiveAvgPool2D(1), nn.Flatten(), nn.Linear(4, 2),
    )  # fmt: skip
    loaded = saved(net, [InputSpec([None, 3, None, None])], tmp_path)
    net.eval()
    for shape in ((2, 3, 16, 17), (1, 3, 9, 30)):
        close(loaded(random(*shape)), net(random(*shape)))
    assert not loaded.exported().has_vjp()  # JAX has none of such a convolution
    with pytest.raises(NotImplementedError, match="saved without its derivative"):
        loaded(random(1, 3, 9, 9)).sum().backward()
    with paddle.no_grad():
        assert loaded(random(1, 3, 9, 9)).stop_gradient


class Flow(paddle.nn.Layer):
    """Branches and loops on values of tensors."""

    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(2, 2)

    def forward(self, x, n):
        flow, zero = paddle.static.nn, paddle.zeros([], "int64")
        big, positive = x.sum() > 5, x.sum() > 0

        def body(i, y):
            return [i + 1, y * 2]

        return [
            flow.while_loop(lambda i, y: i < n, body, [zero, self.linear(x)])[1],
            flow.cond(positive, lambda: x, lambda: (-x).clone()),
            flow.case([(big, lambda: x * 1), (positive, lambda: x * 2)], lambda: x * 3),
            flow.case([(big, lambda: x * 1), (positive, lambda: x * 2)]),
            flow.switch_case(n, {1: lambda: x + 1, 3: lambda: x + 3}),
            flow.cond(positive, lambda: x + paddle.rand([2]) * 0, lambda: x),
        ]


def test_branches_and_loops_on_values(tmp_path):
    net = Flow()
    loaded = saved(net, [InputSpec([None, 2]), InputSpec([], "int64")], tmp_path)
    for value in (1.0, -1.0, 4.0):
        for count in (0, 1, 3):
            given = paddle.full([1, 2], value), paddle.to_tensor(count)
            for found, wanted in zip(loaded(*given), net(*given), strict=True):
                close(found, wanted)


def test_saving_is_for_inference_and_leaves_the_layer_as_it_is(tmp_path):
    net = paddle.nn.Sequential(
        paddle.nn.Linear(2, 3), paddle.nn.BatchNorm1D(3), paddle.nn.Dropout(0.5)
    )
    net(random(8, 2))
    net[1].eval()
    loaded = saved(net, [InputSpec([None, 2])], tmp_path)
    assert (net.training, net[1].training, net[2].training) == (True, False, True)
    assert not loaded.training
    assert not net[0].weight.stop_gradient
    net.eval()
    x = random(4, 2, seed=1)
    close(loaded(x), net(x))
    before = loaded.state_dict()["1._mean"].numpy()
    close(loaded.train()(x), net(x))
    assert loaded.training
    assert loaded.state_dict()["1._mean"].numpy().tolist() == before.tolist()


@pytest.mark.parametrize("drop", [F.dropout, F.alpha_dropout, lambda x: F.dropout(x, axis=0)])
def test_nothing_is_dropped_whatever_training_says(drop, tmp_path):
    with pytest.warns(UserWarning, match="What is saved is a function"):
        loaded = saved(lambda x: drop(x), [InputSpec([4, 8])], tmp_path)
    assert loaded(paddle.ones([4, 8])).tolist() == np.ones((4, 8)).tolist()
    assert F.dropout(paddle.ones([64])).min().item() == 0.0


def test_random_ops_draw_again_on_each_call_and_by_the_seed(tmp_path):
    net = Forward(lambda self, x: paddle.rand([3]) + 0 * x.mean())
    loaded = saved(net, [InputSpec([2])], tmp_path)
    x = paddle.ones([2])
    paddle.seed(5)
    first, second = loaded(x).tolist(), loaded(x).tolist()
    paddle.seed(5)
    assert first != second
    assert [loaded(x).tolist(), loaded(x).tolist()] == [first, second]


def test_writes_into_a_buffer_stay_in_the_run(tmp_path):
    class Counts(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", paddle.zeros([1]))
            self.register_buffer("fleeting", paddle.ones([1]), persistable=False)

        def forward(self, x):
            self.count.add_(paddle.ones([1]))
            return x * self.count + self.fleeting

    net = Counts()
    loaded = saved(net, [InputSpec([2])], tmp_path)
    assert net.count.item() == 0.0
    assert [loaded(paddle.ones([2])).tolist() for _ in range(2)] == [[2.0, 2.0]] * 2
    assert {name: each.tolist() for name, each in loaded.state_dict().items()} == {"count": [0.0]}


# ---- arguments and outputs


@pytest.mark.parametrize(
    ("function", "spec", "names", "values"),
    [
        (lambda self, x, y: self.linear(x) + y, [[2], [3]], ["args_0", "args_1"], "one"),
        (lambda self, x: self.linear(x[0]) + x[1], [([2], [3])], ["args_0_0", "args_0_1"], "one"),
        (lambda self, d: self.linear(d["u"]) + d["a"], [{"u": [2], "a": [3]}], ["a", "u"], "one"),
        (lambda self, x, y: [self.linear(x), {"n": y, "m": x}], [[2], [3]], None, "list"),
        (lambda self, x, y: (y, y, None, 3, "text"), [[2], [3]], None, "one"),
        (lambda self, x, y: paddle.ones([2]), [[2], [3]], None, "one"),
    ],
)
@pytest.mark.filterwarnings("ignore:The function returns a dict")
def test_arguments_and_outputs_are_flat(function, spec, names, values, tmp_path):
    def with_specs(tree):
        if isinstance(tree, list):
            return InputSpec([None, *tree])
        if isinstance(tree, dict):
            return {key: with_specs(each) for key, each in tree.items()}
        return [with_specs(each) for each in tree]

    net = Forward(function)
    loaded = saved(net, [with_specs(each) for each in spec], tmp_path)
    method = loaded.method("forward")
    given = [random(4, aval.shape[1]) for aval in method.input_avals]
    assert names is None or method.inputs == names
    found = loaded(*given)
    assert isinstance(found, list) is (values == "list")
    if names == ["args_0", "args_1"]:
        close(found, net(*given))
    if values == "list":
        close(found[0], net(*given)[0])
        close(found[1], given[0])
        close(found[2], given[1])


def test_constants_names_and_numbers_of_outputs(tmp_path):
    def scaled(x, y, by=1.0):
        return x * by, y

    spec = [InputSpec([2], name="a"), InputSpec([2], "int64", "b"), 3.0]
    with pytest.warns(UserWarning, match="is a function"):
        loaded = saved(scaled, spec, tmp_path, output_spec=[1, 0])
    first, second = loaded(np.ones(2, "float32"), paddle.to_tensor([5, 6]))
    assert (first.tolist(), second.tolist()) == ([5, 6], [3.0, 3.0])
    assert loaded.method("forward").inputs == ["a", "b"]


def test_a_dict_is_returned_as_a_list_with_a_warning(tmp_path):
    net = Forward(lambda self, x: {"z": self.linear(x), "a": x})
    with pytest.warns(UserWarning, match="ordered by their keys") as told:
        loaded = saved(net, [InputSpec([None, 2])], tmp_path)
    assert [each.filename for each in told] == [saved_layers.__file__]
    assert [each.shape for each in loaded(random(4, 2))] == [[4, 2], [4, 3]]


def test_a_size_may_be_an_output(tmp_path):
    net = Forward(lambda self, x: (self.linear(x).reshape([x.shape[0], -1]), x.shape[0]))
    found = saved(net, [InputSpec([None, 5, 2])], tmp_path)(random(4, 5, 2))
    assert (found[0].shape, found[1].item(), found[1].dtype) == ([4, 15], 4, paddle.int64)


def test_hooks_and_data_parallel_are_part_of_it(tmp_path):
    net = paddle.nn.Linear(2, 3)
    net.register_forward_post_hook(lambda layer, inputs, out: out * 10)
    loaded = saved(paddle.DataParallel(net), [InputSpec([None, 2])], tmp_path)
    x = random(4, 2)
    close(loaded(x), net(x))
    assert sorted(loaded.state_dict()) == ["bias", "weight"]


def test_shared_and_frozen_parameters(tmp_path):
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2))
    net[1].weight = net[0].weight
    net[0].bias.stop_gradient = True
    loaded = saved(net, [InputSpec([None, 2])], tmp_path)
    assert loaded.get_parameter("0.weight") is loaded.get_parameter("1.weight")
    loaded(random(3, 2)).sum().backward()
    assert loaded.get_parameter("0.bias").grad is None
    x = random(3, 2)
    net(x).sum().backward()
    close(loaded.get_parameter("0.weight").grad * 0, net[0].weight.grad * 0)


# ---- to_static


class Marked(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(2, 3)

    @paddle.jit.to_static(input_spec=[InputSpec([None, 2])])
    def forward(self, x):
        return self.linear(x)

    @paddle.jit.to_static
    def twice(self, x, by=2.0):
        return self.linear(x) * by


def test_every_marked_method_is_saved(tmp_path):
    net, x = Marked(), random(4, 2)
    with pytest.raises(ValueError, match="No valid transformed program for function: twice"):
        paddle.jit.save(net, f"{tmp_path}/net")
    net.twice(x, by=3.0)
    loaded = saved(net, None, tmp_path)
    close(loaded(x), net(x))
    close(loaded.twice(random(5, 2)), net.linear(random(5, 2)) * 3)
    with pytest.raises(ValueError, match="the input 'input_spec' should be None"):
        paddle.jit.save(net, f"{tmp_path}/net", [InputSpec([None, 2])])
    alone = saved(net, None, tmp_path, skip_forward=True)
    close(alone.twice(x), net.linear(x) * 3)
    with pytest.raises(ValueError, match=r"`forward` does not exist.*\['twice'\]"):
        alone(x)
    of_method = saved(net.twice, None, tmp_path)
    close(of_method(x), net.linear(x) * 3)
    assert sorted(of_method.state_dict()) == ["linear.bias", "linear.weight"]


def test_a_called_function_is_saved_with_an_open_first_size_where_it_can(tmp_path):
    @paddle.jit.to_static
    def free(x):
        return x * 2

    @paddle.jit.to_static
    def fixed(x):
        return x * 2 if x.shape[0] > 2 else x

    free(random(4, 2))
    fixed(random(4, 2))
    with pytest.warns(UserWarning, match="is a function"):
        loaded = saved(free, None, tmp_path)
    assert loaded(random(7, 2)).shape == [7, 2]
    with pytest.warns(UserWarning, match="is a function"):
        loaded = saved(fixed, None, tmp_path)
    close(loaded(random(4, 2)), random(4, 2) * 2)
    with pytest.raises(ValueError, match=r"x was saved as float32\[4, 2\]"):
        loaded(random(7, 2))


# ---- the loaded model


def test_a_loaded_layer_trains_as_the_saved_one_does(tmp_path):
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 4), paddle.nn.Tanh(), paddle.nn.Linear(4, 1))
    loaded = saved(net, [InputSpec([None, 2])], tmp_path)
    x, wanted = random(8, 2), random(8, 1, seed=1)
    losses = []
    for each in (net, loaded):
        each.train()
        optimizer = paddle.optimizer.Adam(0.1, parameters=each.parameters())
        curve = []
        for _ in range(3):
            loss = F.mse_loss(each(x), wanted)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            curve.append(loss.item())
        losses.append(curve)
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)
    x.stop_gradient = False
    out = loaded(x)
    assert out.grad_fn.name() == "GradNodeJax_saved_forward"
    out.sum().backward()
    assert x.grad.shape == [8, 2]
    assert net.set_state_dict(loaded.state_dict()) == ([], [])


@pytest.mark.parametrize("mode", [paddle.no_grad, paddle.inference_mode])
def test_gradients_pass_whatever_mode_it_was_saved_in(mode, tmp_path):
    net = paddle.nn.Linear(2, 3)
    with mode():
        loaded = saved(net, [InputSpec([None, 2])], tmp_path)
        assert not paddle.is_grad_enabled()
    loaded(random(4, 2)).sum().backward()
    net(random(4, 2)).sum().backward()
    close(loaded.get_parameter("weight").grad, net.weight.grad)


def test_a_copy_has_its_own_weights(tmp_path):
    loaded = saved(paddle.nn.Linear(2, 3), [InputSpec([None, 2])], tmp_path)
    other, x = copy.deepcopy(loaded), random(4, 2)
    other.set_state_dict({name: each * 0 for name, each in loaded.state_dict().items()})
    assert other(x).abs().sum().item() == 0
    assert loaded(x).abs().sum().item() > 0


def test_a_loaded_layer_can_be_saved_again(tmp_path):
    net = paddle.nn.Linear(2, 3)
    again = saved(saved(net, [InputSpec([None, 2])], tmp_path), None, tmp_path)
    x = random(4, 2)
    close(again(x), net(x))


def test_plain_jax_runs_it(tmp_path):
    numpy_files = pytest.importorskip("safetensors.numpy")
    net = paddle.nn.Linear(2, 3)
    paddle.jit.save(net, f"{tmp_path}/net", [InputSpec([None, 2])])
    program = jax.export.deserialize(bytearray((tmp_path / "net.forward.stablehlo").read_bytes()))
    weights = numpy_files.load_file(tmp_path / "net.safetensors")
    x = random(4, 2)
    found = program.call(weights, [x.numpy()], np.zeros(2, "uint32"))
    np.testing.assert_allclose(found[0], net(x).numpy(), rtol=1e-6)
    assert program.platforms == ("cpu", "cuda", "tpu")


def test_a_saved_layer_runs_in_another_process_without_its_class(tmp_path):
    class Own(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(2, 3)

        def forward(self, x):
            return F.relu(self.linear(x))

    net = Own()
    paddle.jit.save(net, f"{tmp_path}/net", [InputSpec([None, 2])])
    code = (
        "import sys, jaxeager as paddle\n"
        "print(paddle.jit.load(sys.argv[1])(paddle.ones([2, 2])).tolist())"
    )
    found = json.loads(printed_by(code, f"{tmp_path}/net"))
    np.testing.assert_allclose(found, net(paddle.ones([2, 2])).numpy(), rtol=1e-5)


def test_without_safetensors_the_weights_are_in_a_file_of_paddle_save(tmp_path, monkeypatch):
    net = paddle.nn.Linear(2, 3)
    monkeypatch.setattr(files.importlib.util, "find_spec", lambda name: None)
    loaded = saved(net, [InputSpec([None, 2])], tmp_path)
    assert sorted(os.listdir(tmp_path)) == [
        "net.forward.stablehlo", "net.json", "net.pdparams", "net.signature.json",
    ]  # fmt: skip
    close(loaded(random(4, 2)), net(random(4, 2)))


def test_complex_weights(tmp_path):
    net = Forward(lambda self, x: self.factor * x)
    net.register_buffer("factor", paddle.to_tensor([1 + 2j], dtype="complex128"))
    loaded = saved(net, [InputSpec([2], "complex128")], tmp_path)
    assert loaded(paddle.to_tensor([1 + 0j, 2 + 0j], dtype="complex128")).tolist() == [
        1 + 2j, 2 + 4j,
    ]  # fmt: skip


# ---- all vision models

OTHERS = [
    name
    for name, made in vars(paddle.vision.models).items()
    if inspect.isfunction(made) and name != "resnet18"
]
SIZES = {"alexnet": 224, "googlenet": 224, "inception_v3": 96}


@pytest.mark.deep  # above are small networks of the same layers
@pytest.mark.parametrize("name", ["resnet18", *OTHERS])
def test_models_of_vision(name, tmp_path):
    paddle.seed(1)
    net = getattr(paddle.vision.models, name)(num_classes=4)
    size = SIZES.get(name, 64)
    loaded = saved(net, [InputSpec([None, 3, size, size])], tmp_path)
    net.eval()
    x = random(2, 3, size, size)
    wanted, found = net(x), loaded(x)
    for each, other in zip(
        found if isinstance(found, list) else [found],
        wanted if isinstance(wanted, (list, tuple)) else [wanted],
        strict=True,
    ):
        np.testing.assert_allclose(each.numpy(), other.numpy(), rtol=2e-4, atol=2e-5)


GPT = """
import sys
sys.path.insert(0, "examples")
import numpy as np
import paddle
from gpt import GPT
from paddle.static import InputSpec

paddle.seed(1)
net = GPT(50)
paddle.jit.save(net, sys.argv[1], [InputSpec([None, None], "int64", "ids")])
loaded = paddle.jit.load(sys.argv[1])
for rows, length in ((2, 64), (1, 7)):
    ids = paddle.randint(0, 50, [rows, length])
    logits, kept = net(ids)
    assert kept == [None, None]  # a call without caches keeps none
    np.testing.assert_allclose(loaded(ids).numpy(), logits.numpy(), rtol=2e-4, atol=2e-5)
print("as the example")
"""


@pytest.mark.deep
def test_the_gpt_of_the_examples(tmp_path):
    pytest.importorskip("tqdm")
    command = [sys.executable, "-m", "jaxeager", "-c", GPT, f"{tmp_path}/gpt"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == "as the example"
