"""The context of a PyLayer: the tensors it keeps, for how long, and its data about the call."""

import gc
import weakref

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.autograd import PyLayer, PyLayerContext, saved_tensors_hooks
from tests.support.leaves import leaf, leaf64


def layer(forward, backward=lambda ctx, grad: grad):
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("P", (PyLayer,), methods)


class Probe:
    """A PyLayer that saves the tensors that ``choose`` picks and records what backward finds."""

    def __init__(self, choose):
        self.found = None
        probe = self

        class P(PyLayer):
            @staticmethod
            def forward(ctx, x):
                y = x * x
                saved = choose(ctx, x, y)
                if saved is not None:
                    ctx.save_for_backward(*saved)
                return y

            @staticmethod
            def backward(ctx, grad):
                probe.found = ctx.saved_tensor()
                return grad

        self.apply = P.apply


# ---- saving


def test_saved_tensors_are_the_users_own_while_they_live():
    probe = Probe(lambda ctx, x, y: (x, y))
    x = leaf([1.0, 2.0])
    x.name = "mine"
    y = probe.apply(x)
    y.sum().backward()
    assert probe.found[0] is x
    assert probe.found[1] is y


def test_saved_tensors_that_died_come_back_at_their_place():
    probe = Probe(lambda ctx, x, y: (x, y))
    x = leaf([1.0, 2.0])
    z = (probe.apply(x * 1) * 1).sum()
    z.backward()
    saved_x, saved_y = probe.found
    assert saved_x.grad_fn.name() == "ScaleGradNode"
    assert saved_y.grad_fn.name() == "GradNodePyLayer_P"
    assert [saved_x.tolist(), saved_y.tolist()] == [[1.0, 2.0], [1.0, 4.0]]
    assert not saved_x.stop_gradient


def test_other_values_can_be_saved():
    probe = Probe(lambda ctx, x, y: (x, 3, None, "text", [x, (y, 5)]))
    x = leaf([1.0])
    y = probe.apply(x)
    y.backward()
    assert probe.found[0] is x
    assert probe.found[1:4] == (3, None, "text")
    assert probe.found[4][0] is x
    assert probe.found[4][1] == (y, 5)


def test_nothing_saved_is_none():
    probe = Probe(lambda ctx, x, y: None)
    probe.apply(leaf(1.0)).backward()
    assert probe.found is None


def test_a_second_save_replaces_the_first():
    def choose(ctx, x, y):
        ctx.save_for_backward(y)
        return (x,)

    probe = Probe(choose)
    x = leaf(1.0)
    probe.apply(x).backward()
    assert len(probe.found) == 1
    assert probe.found[0] is x


def test_a_saved_tensor_has_its_value_at_the_end_of_forward():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        x.scale_(10.0)
        return x * 1

    found = []
    p = layer(forward, lambda ctx, grad: (found.append(ctx.saved_tensor()[0].item()), grad)[1])
    p.apply(leaf(1.0) * 1).backward()
    assert found == [10.0]


def test_an_in_place_output_can_be_saved():
    def forward(ctx, x):
        x.exp_()
        ctx.save_for_backward(x)
        return x

    p = layer(forward, lambda ctx, grad: grad * ctx.saved_tensor()[0])
    x = leaf64(1.0)
    y = p.apply(x * 1)
    (first,) = paddle.grad(y, x, create_graph=True)
    (second,) = paddle.grad(first, x)
    np.testing.assert_allclose([first.item(), second.item()], [np.e, np.e])


def test_saved_tensors_can_be_read_in_forward():
    def forward(ctx, x):
        assert ctx.saved_tensor() is None
        ctx.save_for_backward(x)
        assert ctx.saved_tensor()[0] is x
        return x * 2

    layer(forward).apply(leaf(1.0))


# ---- versions


@pytest.mark.parametrize("which", [0, 1])
def test_a_saved_tensor_that_was_written_is_refused(which):
    probe = Probe(lambda ctx, x, y: ((x, y)[which],))
    x = leaf(1.0) * 1
    y = probe.apply(x)
    z = y * 1
    (x, y)[which].scale_(100.0)
    with pytest.raises(
        RuntimeError,
        match=r"\(PermissionDenied\) Tensor '' used in gradient computation has been modified by "
        "an inplace operation. Its version is 1 but the expected version is 0.",
    ):
        z.backward()


def test_a_write_through_a_view_counts():
    probe = Probe(lambda ctx, x, y: (x,))
    x = leaf([1.0, 2.0]) * 1
    view = x[0:1]
    y = probe.apply(x)
    view.scale_(100.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_value_that_was_set_leaves_the_saved_one():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    p = layer(forward, lambda ctx, grad: grad * 2 * ctx.saved_tensor()[0])
    x = leaf([3.0])
    y = p.apply(x)
    x.set_value(np.float32([100.0]))
    y.backward()
    assert x.grad.tolist() == [6.0]


# ---- hooks on saved tensors


def test_hooks_pack_what_is_saved():
    log = []

    def pack(tensor):
        log.append("pack")
        return tensor.numpy()

    def unpack(array):
        log.append("unpack")
        return paddle.to_tensor(array)

    probe = Probe(lambda ctx, x, y: (x, 3, [y]))
    x = leaf(2.0)
    with saved_tensors_hooks(pack, unpack):
        y = probe.apply(x)
    assert log == ["pack", "pack"]
    x.detach().scale_(100.0)  # packed copies are the user's: not checked
    y.backward()
    assert log[2:] == ["unpack", "unpack"]
    assert [probe.found[0].item(), probe.found[1], probe.found[2][0].item()] == [2.0, 3, 4.0]
    assert probe.found[0].grad_fn is x.grad_fn


def test_only_hooks_that_are_active_at_the_save_run():
    log = []

    def forward(ctx, x):
        with saved_tensors_hooks(lambda t: log.append("pack") or t, lambda t: t):
            ctx.save_for_backward(x)
        return x * 1

    layer(forward).apply(leaf(1.0))
    layer(forward).apply(leaf(1.0, stop_gradient=True))
    assert log == ["pack"]


def test_packed_tensors_are_differentiable():
    def forward(ctx, x):
        y = paddle.exp(x)
        ctx.save_for_backward(y)
        return y

    p = layer(forward, lambda ctx, grad: grad * ctx.saved_tensor()[0])
    x = leaf64(1.0)
    with saved_tensors_hooks(lambda t: t.numpy(), paddle.to_tensor):
        y = p.apply(x)
    (first,) = paddle.grad(y, x, create_graph=True)
    (second,) = paddle.grad(first, x)
    np.testing.assert_allclose([first.item(), second.item()], [np.e, np.e])


# ---- attributes


def test_attributes_are_there_in_backward():
    found = []

    def forward(ctx, x):
        ctx.x, ctx.number, ctx.shape = x, 3, x.shape
        ctx.y = x * x
        return ctx.y

    def backward(ctx, grad):
        found.append((ctx.x, ctx.y, ctx.number, ctx.shape))
        ctx.y = 5
        assert ctx.y == 5
        return grad

    x = leaf([2.0])
    y = layer(forward, backward).apply(x)
    y.backward()
    assert found[0][0] is x
    assert found[0][1] is y
    assert found[0][2:] == (3, [1])


def test_an_output_that_was_an_attribute_comes_back():
    def forward(ctx, x):
        ctx.y = paddle.exp(x)
        return ctx.y

    x = leaf64(1.0)
    y = layer(forward, lambda ctx, grad: grad * ctx.y).apply(x) * 1
    (first,) = paddle.grad(y, x, create_graph=True)
    (second,) = paddle.grad(first, x)
    np.testing.assert_allclose([first.item(), second.item()], [np.e, np.e])


def test_attributes_are_not_version_checked():
    found = []

    def forward(ctx, x):
        ctx.x = x
        return x * 1

    def backward(ctx, grad):
        found.append(ctx.x.item())
        return grad

    x = leaf(1.0) * 1
    y = layer(forward, backward).apply(x)
    x.scale_(5.0)
    y.backward()
    assert found == [5.0]


def test_needs_input_grad():
    seen = []

    def forward(ctx, *args):
        seen.append(ctx.needs_input_grad)
        return args[0] * 2

    x, stopped = leaf(1.0), leaf(1.0, stop_gradient=True)
    p = layer(forward)
    p.apply(x, 3, stopped, [stopped, x], (x, stopped))
    p.apply(stopped)
    with paddle.no_grad():
        p.apply(x)
    assert seen == [(True, False, False, True), (False,), (False,)]


def test_name_and_class():
    seen = []

    def forward(ctx, x):
        seen.append((ctx.name(), isinstance(ctx, PyLayerContext)))
        return x * 2

    def backward(ctx, grad):
        seen.append((ctx.name(), isinstance(ctx, PyLayerContext)))
        return grad

    layer(forward, backward).apply(leaf(1.0)).backward()
    assert seen == [("GradNodePyLayer_P", True)] * 2


# ---- how long


@pytest.fixture
def without_gc():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


KEEPERS = {
    "input": lambda ctx, x, y: ctx.save_for_backward(x),
    "output": lambda ctx, x, y: ctx.save_for_backward(y),
    "list": lambda ctx, x, y: ctx.save_for_backward([y, (y,)]),
    "attribute": lambda ctx, x, y: setattr(ctx, "y", y),
    "non_differentiable": lambda ctx, x, y: ctx.mark_non_differentiable(y),
}


@pytest.mark.usefixtures("without_gc")
@pytest.mark.parametrize("keep", KEEPERS.values(), ids=KEEPERS)
@pytest.mark.parametrize("runs", ["never", "once", "retained", "create_graph"])
def test_nothing_is_left_without_a_garbage_collector(keep, runs):
    def forward(ctx, x):
        y = x * 2
        keep(ctx, x, y)
        return y, x * 3

    def backward(ctx, a, b):
        saved = ctx.saved_tensor()
        if hasattr(ctx, "y"):
            saved = ctx.y
        del saved
        return a + b

    x = leaf([1.0])
    a, b = layer(forward, backward).apply(x)
    node = weakref.ref(a.grad_fn)
    context = weakref.ref(a.grad_fn.call.context)
    tensors = [weakref.ref(a), weakref.ref(b)]
    if runs == "create_graph":
        (grad,) = paddle.grad(b, x, create_graph=True)
        del grad
    elif runs != "never":
        b.backward(retain_graph=runs == "retained")
    if runs == "once":
        assert context() is None
    del a, b
    assert [each() for each in (node, context, *tensors)] == [None] * 4


@pytest.mark.usefixtures("without_gc")
def test_an_input_written_in_place_leaves_nothing():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x

    a = leaf([1.0]) * 1
    layer(forward).apply(a)
    node = weakref.ref(a.grad_fn)
    del a
    assert node() is None


@pytest.mark.usefixtures("without_gc")
def test_a_thousand_failing_backwards_leave_nothing():
    import jax

    def backward(ctx, grad):
        raise KeyError("no")

    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(x, y)
        return y

    p = layer(forward, backward)
    x = leaf([1.0])

    def fail():
        with pytest.raises(KeyError):
            p.apply(x).sum().backward()

    for _ in range(10):
        fail()
    before = len(jax.live_arrays())
    for _ in range(1000):
        fail()
    assert len(jax.live_arrays()) <= before
