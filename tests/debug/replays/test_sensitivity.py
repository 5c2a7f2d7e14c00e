"""debug.sensitivity: planted samples with a large gradient, each found with its node and line."""

import math

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph import events

F = paddle.nn.functional


@pytest.fixture
def model():
    paddle.seed(5)
    return paddle.nn.Linear(4, 4)


@pytest.fixture
def x():
    return paddle.to_tensor(np.random.default_rng(2).normal(size=[6, 4]).astype("float32"))


def line_of(function, text):
    """Return the place of the first line of a function that contains a text."""
    with open(__file__) as file:
        lines = file.read().splitlines()
    first = function.__code__.co_firstlineno
    number = next(n for n in range(first, len(lines)) if text in lines[n - 1])
    return f"{__file__}:{number}"


def test_a_division_by_nearly_nothing(model, x):
    x[3] = paddle.full([4], 1e-4)

    def loss_of(x):
        deviation = x.std(axis=-1, keepdim=True) + x.abs().sum() * 1e-3
        y = model(x)
        return (y / deviation).sum()

    found = paddle.debug.sensitivity(loss_of, model, x)
    assert found[0].index == 3
    assert found[0].ratio > 1e4
    assert found[0].origin.name == "DivideGradNode"
    assert found[0].origin.line.startswith(line_of(loss_of, "y / deviation"))
    assert found[0].origin.given == pytest.approx(1.0)
    assert [each.origin for each in found[1:]] == [None] * 5


def test_a_gradient_that_is_not_finite(model, x):
    x[1] = paddle.zeros([4])

    def loss_of(x):
        scale = x.abs().sum()
        return ((model(x) * scale).abs().sum() + 0.0).sqrt()

    found = paddle.debug.sensitivity(loss_of, model, x)
    assert found[0].index == 1
    assert not math.isfinite(found[0].norm)
    assert found[0].origin.name == "SqrtGradNode"
    assert found[0].origin.line.startswith(line_of(loss_of, ".sqrt()"))
    assert f"sample 1: its gradient is not finite from SqrtGradNode at {__file__}" in str(found)


def test_a_label_that_is_wrong_in_a_table_of_few_rows(x):
    table = paddle.nn.Embedding(9, 4, sparse=True)
    ids = paddle.to_tensor([1, 2, 2, 8, 4, 5])
    scale = paddle.to_tensor([1.0, 1.0, 1.0, 1.0, 500.0, 1.0])
    found = paddle.debug.sensitivity(
        lambda ids, scale: (table(ids) * scale.unsqueeze(-1)).sum(), table, ids, scale
    )
    assert found[0].index == 4
    assert found[0].parameter == "weight"
    assert found[0].norm == pytest.approx(1000.0)
    assert {each.norm for each in found[1:]} == {2.0}
    assert found[0].origin.name == "MultiplyGradNode"


def test_norms_are_those_of_the_gradients_of_single_samples(model, x):
    found = paddle.debug.sensitivity(lambda x: F.softmax(model(x)).max(), model, x)
    for each in found:
        loss = F.softmax(model(x[each.index : each.index + 1])).max()
        grads = paddle.grad(loss, model.parameters())
        norm = sum(float((grad**2).sum()) for grad in grads) ** 0.5
        assert each.norm == pytest.approx(norm, rel=1e-5)
        assert each.loss == pytest.approx(float(loss))
    assert [each.norm for each in found] == sorted([each.norm for each in found], reverse=True)


def test_nothing_is_left_behind(x):
    paddle.seed(4)
    model = paddle.nn.Sequential(
        paddle.nn.Linear(4, 4), paddle.nn.BatchNorm1D(4), paddle.nn.Dropout(0.5)
    )
    model(x).sum().backward()
    before = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    trained = [param for param in model.parameters() if not param.stop_gradient]
    grads = [param.grad.numpy() for param in trained]
    random = paddle.get_rng_state()
    losses = [each.loss for each in paddle.debug.sensitivity(lambda x: model(x).sum(), model, x)]
    assert len(losses) == 6
    for name, tensor in model.state_dict().items():
        assert (tensor.numpy() == before[name]).all(), name
    for param, grad in zip(trained, grads, strict=True):
        assert (param.grad.numpy() == grad).all()
    assert str(paddle.get_rng_state()) == str(random)
    assert not events._observers


def test_every_sample_has_the_same_random_numbers(x):
    dropout = paddle.nn.Dropout(0.5)
    weight = paddle.nn.Linear(4, 1, bias_attr=False)
    same = paddle.ones([5, 4])
    found = paddle.debug.sensitivity(lambda x: weight(dropout(x)).sum(), weight, same)
    assert len({each.norm for each in found}) == 1


def test_an_error_restores_the_state(model, x):
    model(x).sum().backward()
    grad = model.weight.grad.numpy()

    def loss_of(x):
        if float(x[0, 0]) == 7.0:
            raise OSError("planted")
        return model(x).sum()

    x[4, 0] = 7.0
    with pytest.raises(OSError, match="planted"):
        paddle.debug.sensitivity(loss_of, model, x)
    assert (model.weight.grad.numpy() == grad).all()
    assert not events._observers


def test_samples_with_another_path_are_not_compared_by_node(model, x):
    def loss_of(x):
        y = model(x)
        return (y * 1e6).sum() if float(x[0, 0]) == 7.0 else y.sum()

    x[2, 0] = 7.0
    found = paddle.debug.sensitivity(loss_of, model, x)
    assert found[0].index == 2
    assert found[0].ratio > 1e5
    assert found[0].origin is None


def test_nested_batches_arrays_and_numbers(model, x):
    batch = {"x": x, "more": (np.arange(6, dtype="float32"), 3.0, None)}

    def loss_of(batch, shift):
        values, factor, nothing = batch["more"]
        assert values.shape == (1,)
        assert nothing is None
        return (model(batch["x"]) * factor * float(values[0]) + shift).sum()

    found = paddle.debug.sensitivity(loss_of, model, batch, paddle.to_tensor(1.0))
    assert found[-1].index == 0
    assert found[-1].norm == 0
    assert {each.index for each in found} == set(range(6))


def test_a_batch_that_requires_gradients_gets_none(model, x):
    x.stop_gradient = False
    scale = paddle.to_tensor(2.0, stop_gradient=False)

    def loss_of(x, scale):
        y = (model(x) * scale).sum()
        (slope,) = paddle.grad(y, x, create_graph=True)  # a gradient penalty
        return y + (slope**2).sum()

    found = paddle.debug.sensitivity(loss_of, model, x, scale)
    assert len(found) == 6
    assert x.grad is None
    assert scale.grad is None


def test_a_gradient_that_the_others_do_not_have_is_finite():
    model = paddle.nn.Linear(2, 1)
    model.weight.set_value(np.ones([2, 1], "float32"))
    model.bias.set_value(np.zeros([1], "float32"))
    x = paddle.to_tensor([[5.0, 1], [0.2, 0.1], [4, 4], [3, 3], [7, 1]])
    found = paddle.debug.sensitivity(lambda x: F.relu(1 - model(x)).sum(), model, x)
    assert found[0].index == 1
    assert math.isfinite(found[0].norm)
    assert "most of the others' gradients are zero from ReluGradNode" in str(found)
    assert "not finite" not in str(found)


def test_a_batch_that_is_written_in_place_stays(model, x):
    array, number, before = np.ones(6, "float32"), paddle.to_tensor(1.0), x.numpy().copy()

    def loss_of(x, array, number):
        x.scale_(2.0)
        array *= 3
        number.add_(paddle.to_tensor(1.0))
        return (model(x) * number).sum()

    paddle.debug.sensitivity(loss_of, model, x, array, number)
    assert (x.numpy() == before).all()
    assert (array == 1).all()
    assert float(number) == 1


def test_the_origin_leads_to_the_largest_gradient(x):
    """A branch whose gradient grows more, but stays tiny, is not named."""
    model = paddle.nn.Sequential(paddle.nn.Linear(4, 4), paddle.nn.Linear(4, 4))
    x = x.clone()
    x[2] = x[2] * 30

    def loss_of(x):
        wide = model[0](x * 1.0).square().sum()
        tiny = (1e-12 * model[1](paddle.ones([1, 4])) * (x.abs().max() ** 6)).sum()
        return wide + tiny

    largest = paddle.debug.sensitivity(loss_of, model, x)[0]
    assert (largest.index, largest.parameter) == (2, "0.weight")
    assert largest.origin.line == line_of(loss_of, "wide = ")


def test_dicts_keep_their_order_and_keys(model, x):
    """Keys that cannot be sorted are given as they are."""
    batch = {"b": x, "a": x * 2, 3: 1.0}
    seen = []

    def loss_of(batch):
        seen.append(list(batch))
        return model(batch["b"] + batch["a"]).sum() * batch[3]

    paddle.debug.sensitivity(loss_of, model, batch)
    assert seen == [["b", "a", 3]] * len(x)


def test_a_single_sample_has_no_ratio_and_no_origin(model):
    (only,) = paddle.debug.sensitivity(lambda x: model(x).sum(), model, paddle.ones([1, 4]))
    assert math.isnan(only.ratio)
    assert only.origin is None


def test_a_table_of_a_large_batch_is_short(model):
    found = paddle.debug.sensitivity(lambda x: model(x).sum(), model, paddle.ones([20, 4]))
    assert "... and 8 more" in str(found)
    assert len(str(found).splitlines()) == 14


@pytest.mark.parametrize(
    ("batch", "named"),
    [
        (([4, 4], [3]), r"Tensor of \[4, 4\], Tensor of \[3\]"),
        ((), "nothing"),
        (([],), r"Tensor of \[\]"),
    ],
)
def test_batches_without_samples_are_refused(model, batch, named):
    tensors = [paddle.ones(shape) for shape in batch]
    with pytest.raises(InvalidArgumentError, match=f"as many samples each.*received {named}"):
        paddle.debug.sensitivity(lambda *_: model(paddle.ones([1, 4])).sum(), model, *tensors)


def test_invalid_losses_samples_and_models_are_refused(model, x):
    with pytest.raises(InvalidArgumentError, match=r"one element, but returned Tensor of \[1, 4\]"):
        paddle.debug.sensitivity(model, model, x)
    with pytest.raises(InvalidTypeError, match=r"real number, but is paddle\.complex64"):
        paddle.debug.sensitivity(lambda x: model(x).sum().astype("complex64"), model, x)
    with pytest.raises(InvalidArgumentError, match="no samples: its first axis is 0 long"):
        paddle.debug.sensitivity(lambda x: model(x).sum(), model, x[:0])
    sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    for what, named in [(x, "Tensor"), (sgd, "SGD")]:
        with pytest.raises(InvalidTypeError, match=f"received {named}"):
            paddle.debug.sensitivity(lambda x: x.sum(), what, x)
