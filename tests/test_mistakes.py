"""Sixty mistakes of beginners: each ends in an error, or a warning, that says what to change.

The mistakes are those of public question sites. A message has what was wrong, the values seen and,
where the two do not show it, what to do.
"""

import re
import warnings

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.nn import functional as F
from jaxeager.optimizer import SGD, Adam


def ones(*shape, dtype="float32"):
    return paddle.ones(list(shape), dtype=dtype)


def linear():
    return nn.Linear(4, 3)


def twice_backward():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    y = (x * x).sum()
    y.backward()
    y.backward()


def changed_before_backward():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    y = x * 1
    z = (y * y).sum()
    y.add_(ones(1))
    z.backward()


def without_super():
    class Net(nn.Layer):
        def __init__(self):
            self.fc = nn.Linear(2, 2)

    Net()


def without_forward():
    class Net(nn.Layer):
        pass

    Net()(ones(1))


def wrong_name_in_state():
    net = linear()
    net.set_state_dict({"weight": ones(5, 3), "bias": ones(3)})


def before_prepare():
    paddle.Model(linear()).fit([(np.ones(4, "float32"), np.array([1]))])


ERRORS = {
    # a wrong shape
    "a layer of another width": (
        lambda: linear()(ones(2, 5)),
        r"Linear\(in_features=4, .*float32\[2, 5\]: the last axis of its input must have 4 elem",
    ),
    "a layer of a sequence": (
        lambda: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(9, 2))(ones(2, 4)),
        r"must have 9 elements. It is the sublayer 2 of Sequential",
    ),
    "an image of one channel": (
        lambda: nn.Conv2D(3, 8, 3)(ones(1, 1, 8, 8)),
        r"input's channels is 1.*its input must have 3 channels",
    ),
    "an image without a batch": (
        lambda: nn.Conv2D(3, 8, 3)(ones(3, 8, 8)),
        r"should be 4D tensor, but received x with the shape of \[3, 8, 8\]",
    ),
    "channels of a norm": (
        lambda: nn.BatchNorm2D(4)(ones(1, 3, 8, 8)),
        r"its input must have 4 channels",
    ),
    "the shape of a norm": (
        lambda: nn.LayerNorm(4)(ones(1, 3)),
        r"expected input with shape \[\*, 4\], but got input shape \[1, 3\]",
    ),
    "the width of an LSTM": (
        lambda: nn.LSTM(4, 8)(ones(2, 3, 5)),
        r"its input must be \[batch, time, 4\]",
    ),
    "heads that do not divide": (lambda: nn.MultiHeadAttention(6, 4), r"divisible.* 6 and 4"),
    "shapes that do not broadcast": (
        lambda: ones(2, 3) + ones(4),
        r"add: Incompatible shapes.*x: float32\[2, 3\], y: float32\[4\]",
    ),
    "a matrix of another height": (
        lambda: ones(2, 3) @ ones(4, 5),
        r"axis 1 of x and axis 0 of y .* have 3 and 4",
    ),
    "a reshape of another size": (
        lambda: ones(2, 3).reshape([4]),
        r"6 elements cannot take the shape \[4\]",
    ),
    "a concat of other widths": (
        lambda: paddle.concat([ones(2, 3), ones(2, 4)], axis=0),
        r"dimension 0 for shapes \(2, 3\), \(2, 4\)",
    ),
    "a stack of other shapes": (
        lambda: paddle.stack([ones(2, 3), ones(2, 4)]),
        r"same shape. Got \(2, 3\), \(2, 4\)",
    ),
    "a flat index": (lambda: ones(2, 3)[5], r"index 5 .*out of bounds.*\[-2, 2\)"),
    "an axis that is not there": (
        lambda: F.softmax(ones(2), axis=3),
        r"the axis must be in the range \[-1, 1\).* received 3",
    ),
    "a split that does not divide": (
        lambda: paddle.split(ones(5), 2),
        r"length 5 cannot be cut into 2 equal parts",
    ),
    "an axis twice": (
        lambda: paddle.transpose(ones(2, 3, 4), [0, 0, 1]),
        r"perm must name each of the 3 dimensions once, not \[0, 0, 1\]",
    ),
    "a squeeze of an index": (lambda: paddle.squeeze(ones(1, 2), 4), r"range \[-2, 2\).* 4"),
    "ragged lists": (lambda: paddle.to_tensor([[1, 2], [3]]), r"nested lists have different len"),
    # a wrong dtype
    "float64 of NumPy": (
        lambda: linear()(paddle.to_tensor(np.ones((2, 4)))),
        r"received float64, float32. Cast one.*keeps NumPy's float64 unless it is given a dtype",
    ),
    "half with single": (
        lambda: ones(2, 2, dtype="float16") @ ones(2, 2),
        r"one dtype, but received float16, float32. Cast one of them, as in x.astype\('float32'\)",
    ),
    "an array in place of a tensor": (
        lambda: linear()(np.ones((2, 4), "float32")),
        r"must be Tensor, but got numpy.ndarray. Make it one: paddle.to_tensor\(x\)",
    ),
    "ids of floats": (
        lambda: nn.Embedding(4, 2)(ones(3)),
        r"must hold integers \(int32, int64\), not float32",
    ),
    "text as a tensor": (lambda: paddle.to_tensor("abc"), r"received str"),
    "a string as dtype": (lambda: ones(2).astype("float33"), r"float33"),
    "a condition of numbers": (
        lambda: paddle.where(ones(2), ones(2), ones(2)),
        r"boolean Tensor, but got a Tensor with dtype",
    ),
    "a mask of numbers": (lambda: paddle.masked_select(ones(2), ones(2)), r"must be a bool tensor"),
    # values
    "an id outside the table": (
        lambda: nn.Embedding(4, 2)(paddle.to_tensor([5])),
        r"expected >= 0 and < 4, but got 5",
    ),
    "a label outside the classes": (
        lambda: F.cross_entropy(ones(2, 3), paddle.to_tensor([1, 3])),
        r"should be in \[0, 3\).*label value as 3",
    ),
    "probabilities as labels": (
        lambda: F.cross_entropy(ones(2, 3), paddle.eye(3, dtype="int64")[:2]),
        r"must be \[2, 1\], but is \[2, 3\]. For probabilities of classes pass soft_label=True",
    ),
    "logits as probabilities": (
        lambda: F.binary_cross_entropy(paddle.to_tensor([2.0]), ones(1)),
        r"greater than or equal to 0 and less than or equal to 1, but received 2.0",
    ),
    "item of many": (lambda: ones(2).item(), r"only one element.* shape \[2\]"),
    "if of many": (lambda: bool(ones(2)), r"can only contain one element.* shape \[2\]"),
    "float of many": (lambda: float(ones(2)), r"converted to float, .* shape \[2\]"),
    # gradients
    "a second backward": (twice_backward, r"without setting retain_graph=True"),
    "a value changed in place": (
        changed_before_backward,
        r"modified by an inplace operation. Its version is 1 but the expected version is 0",
    ),
    "a parameter changed in place": (
        lambda: linear().weight.add_(ones(4, 3)),
        r"Leaf Var .* can't use inplace strategy",
    ),
    "an input of no graph": (
        lambda: paddle.grad(ones(2).sum(), ones(2)),
        r"0-th input does not appear in the backward graph",
    ),
    # layers
    "no super().__init__()": (without_super, r"super\(\).__init__\(\) should be called first"),
    "no forward": (without_forward, r"Net does not define forward\(\)"),
    "a number in a sequence": (lambda: nn.Sequential(3), r"holds Layers, but received 3"),
    "a wrong name of an attribute": (lambda: linear().weights, r"weights"),
    "a missing argument": (lambda: nn.Linear(3), r"out_features"),
    "a wrong name of an argument": (lambda: nn.Linear(3, 4, biases=False), r"biases"),
    # optimizers
    "a rate of text": (lambda: SGD("0.1", parameters=linear().parameters()), r"float or LRSch"),
    "no parameters": (lambda: SGD(0.1), r"pass layer.parameters\(\)"),
    "empty parameters": (SGD(0.1, parameters=[]).step, r"is empty; nothing to update"),
    "a layer as parameters": (
        lambda: SGD(0.1, parameters=linear()),
        r"iterable of Tensors, but is of type Linear",
    ),
    "a number as clip": (
        lambda: SGD(0.1, parameters=linear().parameters(), grad_clip=1.0),
        r"ClipGradByGlobalNorm, but is 1.0",
    ),
    "a step of 0": (lambda: paddle.optimizer.lr.StepDecay(0.1, step_size=0), r"positive.* is 0"),
    "betas of 1": (lambda: Adam(0.1, beta1=1.0, parameters=linear().parameters()), r"beta1"),
    # data, files, devices
    "a number as dataset": (lambda: paddle.io.DataLoader(5), r"paddle.io.Dataset.* received 5"),
    "a batch of 0": (lambda: paddle.io.DataLoader([1, 2], batch_size=0), r"positive .* got 0"),
    "fit before prepare": (before_prepare, r"call `model.prepare\(\)` first"),
    "a missing file": (lambda: paddle.load("nothing.pdparams"), r"nothing.pdparams.* not exist"),
    "a function in a file": (lambda: paddle.save(print, "x.pd"), r"cannot write a"),
    "a device that is not there": (lambda: paddle.set_device("gpu:9"), r"no device 'gpu:9' here"),
    "a metric of flat labels": (
        lambda: paddle.metric.accuracy(ones(2, 3), paddle.to_tensor([1, 2])),
        r"dimensions = 1, label's shape = \[2\]",
    ),
}  # fmt: skip

WARNINGS = {
    "a loss without a graph": (
        lambda: (ones(2) * 3).sum().backward(),
        r"computes no gradients: stop_gradient of its tensor is True.*parameters have",
    ),
    "a loss under no_grad": (
        lambda: paddle.no_grad()(lambda: linear()(ones(1, 4)).sum())().backward(),
        r"or it was computed under no_grad",
    ),
    "labels of floats": (
        lambda: F.cross_entropy(ones(2, 3), paddle.to_tensor([1.0, 2.0])),
        r"labels are float32, and are truncated to classes.*label.astype\('int64'\)",
    ),
    "a negative rate": (
        lambda: SGD(-0.1, parameters=linear().parameters()),
        r"learning rate is -0.1: steps with a negative one increase the loss",
    ),
    "a negative rate, later": (
        lambda: SGD(0.1, parameters=linear().parameters()).set_lr(-1.0),
        r"learning rate is -1.0",
    ),
    "a label that is broadcast": (
        lambda: F.mse_loss(ones(4, 1), ones(4)),
        r"mse_loss: the input's shape \[4, 1\] and the label's \[4\] are broadcast to \[4, 4\]",
    ),
    "the same in another loss": (lambda: nn.L1Loss()(ones(4, 1), ones(4)), r"l1_loss: .*\[4, 4\]"),
    "weights of another shape": (wrong_name_in_state, r"receives a shape \[5, 3\].*\[4, 3\]"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", ERRORS)
def test_a_mistake_that_raises(mistake):
    program, message = ERRORS[mistake]
    with pytest.raises(Exception, match=message):
        program()


@pytest.mark.parametrize("mistake", WARNINGS)
def test_a_mistake_that_warns_once(mistake):
    """The program runs, as in Paddle; a line is warned of once, however often it runs."""
    program, message = WARNINGS[mistake]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            program()
    (said,) = [str(each.message) for each in caught if each.category is UserWarning]
    assert re.search(message, said), said
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "program",
    [
        lambda: linear()(ones(1, 4)).sum().backward(),
        lambda: F.mse_loss(ones(4, 1), ones(4, 1)),
        lambda: F.mse_loss(ones(4, 2), ones(1)),  # one label for all
        lambda: F.mse_loss(ones(4, 2), ones(2)),
        lambda: F.cross_entropy(ones(2, 3), ones(2, 3) / 3, soft_label=True),
        lambda: SGD(0.0, parameters=linear().parameters()),
    ],
)
def test_a_correct_program_does_not_warn(program):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program()
