"""Losses beyond the parity programs: crashes of Paddle, GPU-only ops, error texts."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from tests.support.refusals import refused

F = paddle.nn.functional


def int32(values):
    return paddle.to_tensor(values, dtype="int32")


def test_ctc_of_no_time_and_no_label_costs_nothing():
    x = paddle.zeros([5, 2, 4])
    x.stop_gradient = False
    times, lengths = paddle.to_tensor([5, 0]), paddle.to_tensor([2, 0])
    loss = F.ctc_loss(x, int32([[1, 1], [3, 3]]), times, lengths, reduction="none")
    loss.sum().backward()
    assert loss[1].item() == 0.0
    assert not x.grad.numpy()[:, 1].any()


def test_ctc_of_labels_that_do_not_fit_leaves_gradients_finite():
    x = paddle.zeros([5, 2, 4])
    x.stop_gradient = False
    times, lengths = paddle.to_tensor([2, 2]), paddle.to_tensor([2, 2])
    loss = F.ctc_loss(x, int32([[1, 1], [1, 2]]), times, lengths, reduction="none")
    loss.sum().backward()
    assert np.isinf(loss.numpy()).tolist() == [True, False]
    assert np.isfinite(x.grad.numpy()).all()
    assert not x.grad.numpy()[:, 0].any()


def ctc(labels=((1, 2),), times=(3,), lengths=(2,), **more):
    given = paddle.to_tensor(times), paddle.to_tensor(lengths)
    return F.ctc_loss(paddle.zeros([3, 1, 3]), int32(labels), *given, **more)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"reduction": "avg"}, "'reduction' in ctc_loss"),
        ({"times": (4,)}, "input_lengths must be in \\[0, 3\\]"),
        (
            {"times": ((3,),)},
            "input_lengths must be \\[1\\], one for each sample, but is \\[1, 1\\]",
        ),
        ({"times": (3, 3)}, "input_lengths must be \\[1\\]"),
        ({"lengths": ((2,),)}, "label_lengths must be \\[1\\]"),
        ({"lengths": (3,)}, "label_lengths must be in \\[0, 2\\]"),
        ({"labels": ((1, 3),)}, "labels must be in \\[0, 3\\)"),
        ({"labels": ((1, -1),)}, "labels must be in \\[0, 3\\)"),
        ({"blank": 3}, "Attr\\(blank\\) should be in interval \\[0, 3\\)"),
    ],
)
def test_ctc_refuses(more, text):
    with refused(InvalidArgumentError, match=text):
        ctc(**more)


def test_a_transducer_takes_a_length_for_each_sample():
    scores, label = paddle.zeros([2, 2, 2, 3]), int32([[1], [2]])
    both, one = int32([1, 1]), int32([1])
    for name, lengths in [("input_lengths", (one, both)), ("label_lengths", (both, one))]:
        with pytest.raises(InvalidArgumentError, match=f"{name} must be \\[2\\], one for each"):
            F.rnnt_loss(scores, label, *lengths)


def test_ctc_does_not_look_at_padded_labels():
    padded = ctc(labels=((1, 77),), lengths=(1,)).item()
    assert padded == ctc(labels=((1,),), lengths=(1,)).item()


def test_fastemit_leaves_the_loss_and_makes_label_gradients_larger():
    x = paddle.to_tensor(np.random.default_rng(0).normal(size=(1, 3, 2, 4)))
    args = int32([[2]]), int32([3]), int32([1])
    grads, losses = [], []
    for fastemit in (0.0, 1.0):
        y = x.detach()
        y.stop_gradient = False
        loss = F.rnnt_loss(y, *args, fastemit_lambda=fastemit)
        loss.backward()
        losses.append(loss.item())
        grads.append(y.grad.numpy())
    assert losses[0] == losses[1]
    np.testing.assert_allclose(grads[1][..., 2], 2 * grads[0][..., 2])
    np.testing.assert_allclose(grads[1][..., 0], grads[0][..., 0])


def test_hsigmoid_probabilities_add_up_to_1():
    draw = np.random.default_rng(0)
    x, weight = (paddle.to_tensor(draw.normal(size=shape)) for shape in [(1, 3), (6, 3)])
    losses = F.hsigmoid_loss(paddle.tile(x, [7, 1]), paddle.arange(7), 7, weight)
    assert float(np.exp(-losses.numpy()).sum()) == pytest.approx(1)


def test_adaptive_probabilities_add_up_to_1():
    layer = paddle.nn.AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6])
    x = paddle.to_tensor(np.random.default_rng(0).normal(size=(4, 8)).astype("float32"))
    np.testing.assert_allclose(layer.log_prob(x).exp().sum(1).numpy(), 1, rtol=1e-5)
    loss = layer(x, paddle.to_tensor([0, 4, 9, 7]))[1]
    loss.backward()
    assert all(each.grad is not None for each in layer.parameters())


def cosines(seed=0):
    draw = np.random.default_rng(seed).uniform(-0.9, 0.9, (4, 5))
    return paddle.to_tensor(draw, stop_gradient=False), paddle.to_tensor([0, 4, 2, 2])


def test_margin_cross_entropy_without_margin_is_cross_entropy():
    x, label = cosines()
    loss = F.margin_cross_entropy(x, label, 1.0, 0.0, 0.0, 8.0)
    plain = F.cross_entropy(x * 8, label)
    assert loss.item() == pytest.approx(plain.item())
    (got,), (want,) = paddle.grad(loss, x), paddle.grad(plain, x)
    np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-10)


def test_margin_cross_entropy_reductions_and_softmax():
    x, label = cosines()
    each, softmax = F.margin_cross_entropy(x, label, return_softmax=True, reduction=None)
    assert each.shape == [4, 1]
    np.testing.assert_allclose(softmax.sum(1).numpy(), 1)
    total = F.margin_cross_entropy(x, label.reshape([4, 1]), reduction="sum")
    assert total.item() == pytest.approx(each.sum().item())


class Group:
    """Has the interface of a group of two processes."""

    nranks = 2

    def is_member(self):
        return True


REFUSED = [
    (lambda: F.margin_cross_entropy(*cosines(), reduction="avg"), "reduction must be 'mean'"),
    (lambda: F.margin_cross_entropy(*cosines(), group=3), "Expected group is False, None"),
    (lambda: F.margin_cross_entropy(cosines()[0][:, :2], cosines()[1]), "label values should be"),
    (lambda: F.hsigmoid_loss(paddle.ones([1, 2]), paddle.to_tensor([4]), 4, paddle.ones([3, 2])),
     "label values should be"),
    (lambda: F.class_center_sample(paddle.to_tensor([4]), 3, 1), "labels must be in \\[0, 3\\)"),
    (lambda: F.npair_loss(paddle.ones([0, 2]), paddle.ones([1, 2]), paddle.ones([1])), "anchor"),
    (lambda: paddle.nn.utils.weight_norm(paddle.nn.ReLU()), "is not a parameter of"),
    (lambda: paddle.nn.utils.parameters_to_vector([]), "of one dtype"),
    (lambda: paddle.nn.utils.vector_to_parameters(
        paddle.ones([2], "float64"), [paddle.ones([2])]), "cast it first"),
    (lambda: paddle.nn.utils.spectral_norm(paddle.nn.Linear(2, 2), dim=2), "dim must be in"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refused(call, text):
    with refused(InvalidArgumentError, match=text):
        call()


def test_classes_over_several_processes_are_refused():
    with pytest.raises(UnimplementedError, match="several processes"):
        F.margin_cross_entropy(*cosines(), group=Group())


def test_dropout1d_warns_that_inplace_does_nothing():
    with pytest.warns(UserWarning, match="inplace=True is ignored"):
        F.dropout1d(paddle.ones([2, 3]), training=False, inplace=True)


def test_a_mask_that_wants_a_gradient_gets_one():
    x = paddle.to_tensor(np.random.default_rng(0).normal(size=(1, 2, 3, 3)), stop_gradient=False)
    mask = paddle.zeros([1, 1, 3, 3], "float64")
    mask.stop_gradient = False
    out = paddle.incubate.softmax_mask_fuse(x, mask)
    dx, dmask = paddle.grad((out**2).sum(), [x, mask])
    np.testing.assert_allclose(dmask.numpy(), dx.sum(1, keepdim=True).numpy())


def test_spectral_norm_makes_the_largest_singular_value_1():
    layer = paddle.nn.utils.spectral_norm(paddle.nn.Linear(6, 4), n_power_iterations=50)
    layer(paddle.ones([1, 6]))
    assert np.linalg.svd(layer.weight.numpy())[1][0] == pytest.approx(1, abs=1e-3)
