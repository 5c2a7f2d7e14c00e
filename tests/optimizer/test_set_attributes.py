"""Attributes of optimizers that are set before, between and after their steps."""

import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError


def weight():
    ones = nn.initializer.Constant(1.0)
    return paddle.create_parameter([2], "float32", default_initializer=ones)


def stepped(optimizer, w, count=1):
    for _ in range(count):
        (w * 3).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return [round(each, 5) for each in w.tolist()]


def test_a_clip_set_before_the_constructor_is_replaced_by_it():
    class Clipped(paddle.optimizer.SGD):
        def __init__(self, *args, **kwargs):
            self._grad_clip = nn.ClipGradByNorm(0.1)
            super().__init__(*args, **kwargs)

    w = weight()
    sgd = Clipped(0.1, parameters=[w])
    assert sgd._grad_clip is None
    assert stepped(sgd, w) == [0.7, 0.7]


def test_numbers_set_before_the_constructor_are_replaced_by_it():
    class Decayed(paddle.optimizer.AdamW):
        def __init__(self, *args, **kwargs):
            assert not hasattr(self, "_beta1")
            self._weight_decay, self._beta1 = 0.5, 0.3
            assert self._beta1 == 0.3
            super().__init__(*args, **kwargs)

    w = weight()
    adamw = Decayed(0.1, parameters=[w])
    assert (adamw._weight_decay, adamw._beta1) == (0.01, 0.9)
    assert stepped(adamw, w) == [0.899, 0.899]


@pytest.mark.parametrize("in_program", [False, True])
def test_functions_of_parameters_may_be_replaced(in_program):
    w = weight()
    lamb = paddle.optimizer.Lamb(0.1, lamb_weight_decay=0.5, parameters=[w])

    def step():
        (w * 3).sum().backward()
        lamb.step()
        lamb.clear_grad(False)

    step = paddle.jit.to_static(step, full_graph=True) if in_program else step
    step()
    assert w.tolist() == pytest.approx([0.9, 0.9])
    lamb._exclude_from_weight_decay_fn = lambda param: True
    step()
    assert w.tolist() == pytest.approx([0.8, 0.8])  # 0.81 with decay, 3.3.1: 0.8

    w = weight()
    adamw = paddle.optimizer.AdamW(0.1, parameters=[w], weight_decay=1.0)
    stepped(adamw, w)
    adamw._apply_decay_param_fun = lambda name: False
    before = w.tolist()[0]
    assert stepped(adamw, w)[0] == pytest.approx(before - 0.1)


@pytest.mark.parametrize("kind", [paddle.optimizer.Adam, paddle.optimizer.AdamW])
def test_amsgrad_may_be_set_until_the_first_step(kind):
    w, v = weight(), weight()
    adam, known = kind(0.1, parameters=[w]), kind(0.1, parameters=[v], amsgrad=True)
    assert (adam._amsgrad, known._amsgrad) == (False, True)
    adam._amsgrad = True
    assert stepped(adam, w, 3) == stepped(known, v, 3)
    assert len(adam.state_dict()) == len(known.state_dict()) == 5
    with pytest.raises(PreconditionNotMetError, match="amsgrad=False"):
        adam._amsgrad = False
    adam._amsgrad = True
    plain = kind(0.1, parameters=[weight()])
    stepped(plain, plain._parameter_list[0])
    with pytest.raises(PreconditionNotMetError, match="amsgrad=True"):
        plain._amsgrad = True


def test_amsgrad_keeps_the_values_that_were_loaded():
    w = weight()
    known = paddle.optimizer.Adam(0.1, parameters=[w], amsgrad=True)
    stepped(known, w, 2)
    other = paddle.optimizer.Adam(0.1, parameters=[w])
    other.set_state_dict(known.state_dict())
    other._amsgrad = True
    start = w.numpy()
    expected = stepped(known, w)
    w.set_value(start)
    assert stepped(other, w) == expected


@pytest.mark.parametrize("in_program", [False, True])
def test_a_parameter_that_is_appended_is_updated(in_program):
    w, v = weight(), weight()
    sgd = paddle.optimizer.SGD(0.1, parameters=[w])

    def step():
        (w * 3 + v).sum().backward()
        sgd.step()
        sgd.clear_grad(False)

    step = paddle.jit.to_static(step, full_graph=True) if in_program else step
    step()
    assert v.tolist() == [1.0, 1.0]
    v.clear_gradient(False)
    sgd._parameter_list.append(v)
    step()
    assert [round(each, 5) for each in w.tolist() + v.tolist()] == [0.4, 0.4, 0.9, 0.9]


def test_a_parameter_that_is_appended_to_a_group_has_its_options():
    w, v, other = weight(), weight(), weight()
    groups = [{"params": []}, {"params": [w], "momentum": 0.5}]
    momentum = paddle.optimizer.Momentum(0.1, momentum=0.0, parameters=groups)
    momentum._param_groups[1]["params"].append(v)
    momentum._param_groups[0]["params"].append(other)
    for _ in range(2):
        for each in (w, v, other):
            each.grad = paddle.ones([2])
        momentum.step()
    assert [round(each[0].item(), 4) for each in (w, v, other)] == [0.75, 0.75, 0.8]
    momentum._param_groups[1]["params"].append(w)
    with pytest.raises(InvalidArgumentError, match="would be updated twice"):
        momentum.step()


def test_factors_of_rprop_may_be_a_tuple_after_a_step_too():
    w = weight()
    rprop = paddle.optimizer.Rprop(0.1, (0.01, 1.0), [w])
    stepped(rprop, w)
    rprop._etas = (0.25, 2.0)
    rprop._learning_rate_range = [0.05, 0.15]
    assert (rprop._etas, rprop._learning_rate_range) == ([(0.25, 2.0)], [(0.05, 0.15)])
    assert stepped(rprop, w) == [0.75, 0.75]
    with pytest.raises(InvalidArgumentError, match=r"needs two factors, but received \[0.5\]"):
        rprop._etas = [0.5]
    with pytest.raises(InvalidArgumentError, match=r"etas is \(1.5, 2.0\)"):
        rprop._etas = (1.5, 2.0)


def test_batches_of_asgd_set_after_the_first_step_have_no_effect_and_warn():
    """As in Paddle, which says nothing."""
    w = weight()
    asgd = paddle.optimizer.ASGD(0.1, batch_num=2, parameters=[w])
    assert stepped(asgd, w) == [0.7, 0.7]
    with pytest.warns(UserWarning, match="gradients of 2 batches .* _n = 1 has no effect"):
        asgd._n = 1
    assert asgd._n == 1
    w.grad = paddle.ones([2])
    asgd.step()
    assert [round(each, 5) for each in w.tolist()] == [0.5, 0.5]
