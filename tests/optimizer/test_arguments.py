"""Accepted and refused arguments of optimizers, and the calls around a step."""

import weakref

import pytest

import jaxeager as paddle
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    PreconditionNotMetError,
    UnimplementedError,
)

O = paddle.optimizer  # noqa: E741 - a module


@pytest.fixture
def weight():
    """Return a parameter with a gradient of ones."""
    param = paddle.nn.Parameter(paddle.to_tensor([1.0, 2.0]))
    param.grad = paddle.ones([2])
    return param


def _other():
    return paddle.nn.Parameter(paddle.to_tensor([1.0]))


REFUSED = [
    (lambda w: O.SGD(0.1), AttributeError, "parameters argument given .* should not be None"),
    (lambda w: O.SGD(None, [w]), InvalidArgumentError, "learning_rate is not set"),
    (lambda w: O.SGD(1, [w]), InvalidTypeError, "should be float or LRScheduler, got .*int"),
    (lambda w: O.SGD("a", [w]), InvalidTypeError, "should be float or LRScheduler, got .*str"),
    (lambda w: O.SGD(0.1, w), InvalidTypeError, "should be an iterable of Tensors"),
    (lambda w: O.SGD(0.1, {"params": [w]}), InvalidTypeError, "should not get dict type"),
    (lambda w: O.Rprop(0.1, (0.2, 0.3), [w]), InvalidArgumentError, "must be true, but the range"),
    (lambda w: O.Rprop(0.1, etas=(1, 2), parameters=[w]), InvalidArgumentError, "etas is"),
    (lambda w: O.ASGD(0.1, 0, [w]), InvalidArgumentError, "greater than 0, but is 0"),
    (lambda w: O.SGD(0.1, [w, {"params": []}]), InvalidTypeError, "all of one kind"),
    (lambda w: O.SGD(0.1, [{"lr": 1}]), InvalidArgumentError, "params should be set"),
    (lambda w: O.SGD(0.1, [{"params": {w}}]), InvalidTypeError, "ordered collections"),
    (lambda w: O.SGD(0.1, [w, w]), InvalidArgumentError, "would be updated twice"),
    (
        lambda w: O.SGD(0.1, [{"params": [w]}, {"params": w}]),
        InvalidArgumentError,
        "appear in more than one parameter group",
    ),
    (lambda w: O.SGD(0.1, [w], grad_clip=3), InvalidTypeError, "'grad_clip' should be an instance"),
    (lambda w: O.SGD(0.1, [w], weight_decay="x"), InvalidTypeError, "weight_decay should be a num"),
    (lambda w: O.AdamW(0.1, parameters=[w], weight_decay=None), InvalidTypeError, "int, float or"),
    (lambda w: O.Adam(0.1, 1.0, parameters=[w]), InvalidArgumentError, r"beta1 in \[0,1\)"),
    (lambda w: O.Adam(0.1, beta2=-0.1, parameters=[w]), InvalidArgumentError, r"beta2 in \[0,1\)"),
    (lambda w: O.AdamW(0.1, epsilon=-1, parameters=[w]), InvalidArgumentError, "epsilon >= 0"),
    (lambda w: O.Adam(0.1, beta1=None, parameters=[w]), InvalidArgumentError, "beta1 is not set"),
    (lambda w: O.Momentum(0.1, None, [w]), InvalidArgumentError, "momentum is not set"),
    (lambda w: O.AdamW(parameters=[w], lr_ratio=3), InvalidTypeError, "lr_ratio should be a func"),
    (
        lambda w: O.AdamW(parameters=[w], apply_decay_param_fun=3),
        InvalidTypeError,
        "apply_decay_param_fun should be a function",
    ),
    (lambda w: paddle.regularizer.L2Decay("a"), InvalidTypeError, "coeff must be a number"),
]


@pytest.mark.parametrize(("make", "kind", "text"), REFUSED)
def test_wrong_arguments(weight, make, kind, text):
    """Each is refused with a message that states the expected argument."""
    with pytest.raises(kind, match=text):
        make(weight)


def test_two_parameters_of_one_name():
    """They would share accumulators."""
    params = [paddle.nn.Parameter(paddle.ones([1]), name="same") for _ in range(2)]
    with pytest.raises(InvalidArgumentError, match="Two parameters are called same"):
        O.SGD(0.1, params)


def test_learning_rate_calls(weight):
    """These are set_lr and set_lr_scheduler, and their refusals."""
    optimizer = O.SGD(0.1, [weight])
    optimizer.set_lr(1)
    assert optimizer.get_lr() == 1.0
    with pytest.raises(InvalidTypeError, match=r"set_lr must be float, but received .*str"):
        optimizer.set_lr("a")
    with pytest.raises(InvalidTypeError, match="must be LRScheduler"):
        optimizer.set_lr_scheduler(3)
    optimizer.set_lr_scheduler(O.lr.StepDecay(0.5, 1))
    assert optimizer.get_lr() == 0.5
    with pytest.raises(PreconditionNotMetError, match="can't be LRScheduler"):
        optimizer.set_lr(0.1)


def test_a_generator_of_parameters(weight):
    """Any iterable is accepted."""
    optimizer = O.SGD(0.5, (param for param in [weight]))
    optimizer.step()
    assert weight.tolist() == [0.5, 1.5]


def test_plain_tensors_are_updated():
    """A leaf that is not a Parameter is updated, as in Paddle; one that stops gradients is not."""
    leaf = paddle.to_tensor([1.0], stop_gradient=False)
    fixed = paddle.to_tensor([1.0])
    fixed.grad = paddle.ones([1])
    optimizer = O.Adam(0.5, parameters=[leaf, fixed])
    (leaf * 3.0).sum().backward()
    optimizer.step()
    assert leaf.item() == pytest.approx(0.5)
    assert fixed.item() == 1.0


def test_a_parameter_that_is_frozen(weight):
    """stop_gradient set between steps is respected."""
    optimizer = O.SGD(0.5, [weight])
    weight.stop_gradient = True
    optimizer.step()
    assert weight.tolist() == [1.0, 2.0]
    weight.trainable = True
    optimizer.step()
    assert weight.tolist() == [0.5, 1.5]


def test_no_gradient_no_step(weight):
    """A step without any gradient does nothing."""
    weight.grad = None
    optimizer = O.Adam(0.5, parameters=[weight])
    optimizer.step()
    assert weight.tolist() == [1.0, 2.0]
    assert optimizer.state_dict() == {}


def test_clearing(weight):
    """Gradients become zeros, which a step still uses, or None."""
    optimizer = O.Momentum(0.5, 0.5, [weight])
    optimizer.step()
    optimizer.clear_grad()
    assert weight.grad.tolist() == [0.0, 0.0]
    optimizer.clear_grad()
    optimizer.step()
    assert weight.tolist() == [0.25, 1.25]
    optimizer.clear_gradients(set_to_zero=False)
    assert weight.grad is None
    weight.grad = paddle.ones([2])
    array = weakref.ref(weight.grad._array)
    optimizer.clear_grad()
    assert array() is None  # zeros are created on access
    optimizer.zero_grad()
    assert weight.grad is None


def test_a_gradient_of_another_shape(weight):
    """It is refused, not broadcast, and the optimizer still works."""
    optimizer = O.SGD(0.5, [weight])
    optimizer.step()
    with pytest.raises(InvalidArgumentError, match=r"has shape \[1\], but .* shape \[2\]"):
        optimizer.apply_gradients([(weight, paddle.ones([1]))])
    weight.grad = paddle.ones([2])
    optimizer.step()
    assert weight.tolist() == [0.0, 1.0]


def test_minimize_and_apply_gradients(weight):
    """minimize uses the gradients of backward; apply_gradients the pairs it gets."""
    optimizer = O.SGD(0.5, [weight])
    ops, pairs = optimizer.minimize(paddle.to_tensor(1.0))
    assert ops == []
    assert pairs[0][0] is weight
    assert weight.tolist() == [0.5, 1.5]
    assert optimizer.apply_gradients([(weight, paddle.to_tensor([1.0, 0.0]))]) == []
    assert weight.tolist() == [0.0, 1.5]
    with pytest.raises(NotFoundError, match="not one of this optimizer's"):
        optimizer.apply_gradients([(_other(), paddle.ones([1]))])
    with pytest.raises(InvalidTypeError, match="loss should be a Tensor"):
        optimizer.minimize(3)
    with pytest.raises(UnimplementedError, match="no_grad_set belongs to static graphs"):
        optimizer.minimize(paddle.to_tensor(1.0), no_grad_set=[weight])


def test_adamw_asks_for_each_parameter(weight):
    """The functions see names and parameters."""
    other = _other()
    other.grad = paddle.ones([1])
    asked = []
    optimizer = O.AdamW(
        0.5,
        parameters=[weight, other],
        weight_decay=0.5,
        apply_decay_param_fun=lambda name: (asked.append(name), name == weight.name)[1],
        lr_ratio=lambda param: (asked.append(param), 1.0)[1],
    )
    optimizer.step()
    assert asked[0] == weight.name
    assert asked[1] is weight
    assert weight.tolist() == pytest.approx([0.25, 1.0], abs=1e-5)
    assert other.tolist() == pytest.approx([0.5], abs=1e-5)


def test_groups_set_factors_and_regularizers(weight):
    """They are set on the parameters, as in Paddle."""
    weight.optimize_attr["learning_rate"] = 3.0
    O.SGD(0.1, [{"params": weight, "weight_decay": 0.25}])
    assert weight.optimize_attr["learning_rate"] == 1.0
    assert str(weight.regularizer) == "L2Decay, coeff=0.250000"
