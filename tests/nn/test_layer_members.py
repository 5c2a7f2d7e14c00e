"""nn.Layer: parameters, buffers and sublayers as attributes; names; text; walking the tree."""

import copy
import pickle

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn

pytestmark = pytest.mark.usefixtures("fresh_names")


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
        self.plain = paddle.ones([2])
        self.register_buffer("kept", paddle.zeros([2]))
        self.register_buffer("lost", paddle.zeros([2]), persistable=False)
        self.w = self.create_parameter([2, 2])
        self.none = None
        self.seq = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4))

    def forward(self, x):
        return self.fc(x)


def make_parameter():
    return paddle.create_parameter([2], "float32")


def test_members_go_to_their_tables():
    net = Net()
    assert list(net._parameters) == ["w"]
    assert list(net._buffers) == ["plain", "kept", "lost"]
    assert list(net._sub_layers) == ["fc", "seq"]
    assert net._non_persistable_buffer_names_set == {"plain", "lost"}
    assert net.none is None
    assert "none" in net.__dict__


def test_names_follow_paddle():
    net = Net()
    assert net.full_name() == "net_0"
    assert [(path, p.name) for path, p in net.named_parameters()] == [
        ("w", "net_0.w_0"),
        ("fc.weight", "linear_0.w_0"),
        ("fc.bias", "linear_0.b_0"),
        ("seq.0.weight", "linear_1.w_0"),
        ("seq.0.bias", "linear_1.b_0"),
        ("seq.1.weight", "batch_norm1d_0.w_0"),
        ("seq.1.bias", "batch_norm1d_0.b_0"),
        ("seq.1._mean", "batch_norm1d_0.w_1"),
        ("seq.1._variance", "batch_norm1d_0.w_2"),
    ]


@pytest.mark.parametrize(
    ("title", "scope"),
    [
        ("HTTPNet2", "http_net2"),
        ("_Priv", "__priv"),
        ("A1B", "a1b"),
        ("ResNet50", "res_net50"),
        ("myNet", "my_net"),
        ("X", "x"),
        ("PReLU", "p_re_lu"),
    ],
)
def test_scope_of_a_class(title, scope):
    assert type(title, (nn.Layer,), {})().full_name() == f"{scope}_0"


def test_name_scope():
    assert nn.Layer("My-Scope").full_name() == "My-Scope_0"
    assert nn.Layer("My-Scope").create_parameter([1]).name == "My-Scope_1.w_0"
    with pytest.raises(TypeError, match="name_scope of a Layer must be a str or None"):
        nn.Layer(3)


@pytest.mark.parametrize(
    ("attribute", "value", "text"),
    [
        ("w", 3, "assignment to parameter 'w' should be of type Parameter or None, but got 'int'"),
        ("kept", 3, "assignment to buffers 'kept' should be of type Tensor or None, but got 'int'"),
        ("fc", 3, "assignment to sublayer 'fc' should be of type Layer or None, but got 'int'"),
    ],
)
def test_registered_names_take_only_their_kind(attribute, value, text):
    net = Net()
    with pytest.raises(TypeError, match=text):
        setattr(net, attribute, value)
    setattr(net, attribute, None)
    assert getattr(net, attribute) is None


def test_a_plain_tensor_does_not_replace_a_parameter():
    with pytest.raises(TypeError, match="should be of type Parameter or None, but got 'Tensor'"):
        Net().w = paddle.ones([2])


def test_a_name_can_change_its_kind():
    layer = nn.Layer()
    layer.x = 3
    layer.x = nn.ReLU()
    assert "x" not in layer.__dict__
    layer.x = make_parameter()
    assert not layer._sub_layers
    layer.y = paddle.ones([1])
    layer.y = nn.ReLU()
    assert list(layer._sub_layers) == ["y"]
    assert not layer._buffers
    layer.z = None
    layer.z = paddle.ones([1])
    assert list(layer._buffers) == ["z"]
    assert "z" not in layer.__dict__


def test_a_buffer_is_replaced_by_assignment():
    layer = nn.Layer()
    layer.register_buffer("steps", paddle.zeros([1]))
    first = layer.steps
    layer.steps = paddle.ones([1])
    assert first.item() == 0.0
    assert layer.steps.item() == 1.0
    assert "steps" in layer.state_dict()


def test_registering_a_buffer_again_changes_whether_it_is_kept():
    layer = nn.Layer()
    layer.register_buffer("steps", paddle.zeros([1]))
    layer.register_buffer("steps", paddle.zeros([1]), persistable=False)
    assert not layer.state_dict()
    layer.register_buffer("steps", paddle.zeros([1]))
    assert list(layer.state_dict()) == ["steps"]


def test_deleting():
    net = Net()
    del net.fc, net.w, net.kept, net.none
    for name in ("fc", "w", "kept", "none"):
        assert not hasattr(net, name)
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'fc'"):
        del net.fc


def test_a_missing_attribute_names_class_and_attribute():
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'nope'"):
        _ = Net().nope


def test_an_attribute_error_inside_a_property_is_shown():
    class WithProperty(nn.Layer):
        @property
        def broken(self):
            return self.inner

    with pytest.raises(AttributeError, match="has no attribute 'inner'"):
        _ = WithProperty().broken


def test_a_property_setter_is_used():
    class WithProperty(nn.Layer):
        @property
        def rate(self):
            return self._rate

        @rate.setter
        def rate(self, value):
            self._rate = value * 2

    layer = WithProperty()
    layer.rate = 3
    assert layer.rate == 6


def test_dir_lists_members():
    assert {"fc", "w", "kept", "forward"} <= set(dir(Net()))


@pytest.mark.parametrize(
    "value", [lambda: nn.Linear(1, 1), make_parameter, lambda: paddle.ones([1])]
)
def test_members_need_init_first(value):
    class Late(nn.Layer):
        def __init__(self):
            self.x = value()

    with pytest.raises(ValueError, match=r"super\(\).__init__\(\) should be called first"):
        Late()


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        (3, TypeError, "The name of parameter should be a string, but received int"),
        ("a.b", KeyError, "can not contain `.`"),
        ("", KeyError, "can not be empty"),
        ("full_name", KeyError, "'full_name' already exists"),
    ],
)
def test_add_parameter_checks_the_name(name, error, text):
    with pytest.raises(error, match=text):
        Net().add_parameter(name, make_parameter())


def test_add_parameter_replaces_one_of_its_name():
    net = Net()
    net.add_parameter("w", net.w)
    other = net.add_parameter("w", make_parameter())
    assert net.w is other
    assert [each is other for name, each in net.named_parameters() if name == "w"] == [True]


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        (3, TypeError, "The name of buffer should be a string, but received int"),
        ("a.b", KeyError, "can not contain `.`"),
        ("", KeyError, "can not be empty"),
        ("fc", KeyError, "'fc' already exists"),
    ],
)
def test_register_buffer_checks_the_name(name, error, text):
    with pytest.raises(error, match=text):
        Net().register_buffer(name, paddle.ones([1]))


def test_wrong_kinds_are_refused():
    layer = nn.Layer()
    with pytest.raises(TypeError, match="should be a Parameter, but received Tensor"):
        layer.add_parameter("x", paddle.ones([2]))
    with pytest.raises(TypeError, match=r"should be a Paddle.Tensor, but received Parameter"):
        layer.register_buffer("x", make_parameter())
    with pytest.raises(TypeError, match="A sublayer must be a Layer or None, but received int"):
        layer.add_sublayer("x", 3)


def test_none_can_be_registered():
    layer = nn.Layer()
    layer.register_parameter("p", None)
    layer.register_buffer("b", None)
    layer.add_module("s", None)
    assert (layer.p, layer.b, layer.s) == (None, None, None)
    assert not layer.state_dict()
    assert not layer.sublayers()


def test_shared_members_are_listed_once_and_saved_under_each_name():
    class Shared(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(1, 1)
            self.b = self.a
            self.p = self.a.weight

    net = Shared()
    assert [name for name, _ in net.named_parameters()] == ["p", "a.bias"]
    every = ["p", "a.weight", "a.bias", "b.weight", "b.bias"]
    assert [name for name, _ in net.named_parameters(remove_duplicate=False)] == every
    assert list(net.state_dict()) == every
    assert [name for name, _ in net.named_sublayers()] == ["a"]
    assert [name for name, _ in net.named_sublayers(remove_duplicate=False)] == ["a", "b"]
    assert [name for name, _ in net.named_children()] == ["a"]


def test_walking():
    net = Net()
    assert [name for name, _ in net.named_sublayers()] == ["fc", "seq", "seq.0", "seq.1"]
    assert [name for name, _ in net.named_sublayers("p", include_self=True)][:2] == ["p", "p.fc"]
    assert next(name for name, _ in net.named_modules()) == ""
    assert next(net.modules()) is net
    assert list(net.children()) == [net.fc, net.seq]
    assert len(net.parameters(include_sublayers=False)) == 1
    assert [name for name, _ in net.named_buffers(prefix="q")] == ["q.plain", "q.kept", "q.lost"]
    assert len(net.buffers()) == 3


def test_paths():
    net = Net()
    assert net.get_sublayer("seq.0") is net.seq[0]
    assert net.get_sublayer("") is net
    assert net.get_parameter("seq.0.weight") is net.seq[0].weight
    assert net.get_buffer("kept") is net.kept
    net.set_sublayer("seq.0", nn.ReLU())
    assert isinstance(net.seq[0], nn.ReLU)
    net.set_submodule("new", nn.Tanh())
    assert isinstance(net.new, nn.Tanh)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda n: n.get_sublayer("no.a"), AttributeError, "Net has no attribute `no`"),
        (lambda n: n.get_sublayer("kept"), AttributeError, "`kept` is not an nn.Layer"),
        (lambda n: n.get_parameter("kept"), AttributeError, "`kept` is not an nn.Parameter"),
        (lambda n: n.get_parameter("fc.no"), AttributeError, "Linear has no attribute `no`"),
        (lambda n: n.get_buffer("fc.weight"), AttributeError, "`weight` is not a buffer"),
        (lambda n: n.set_sublayer("", nn.ReLU()), ValueError, "without a target name"),
        (lambda n: n.set_sublayer("x", 3), ValueError, "not an nn.Layer, found <class 'int'>"),
        (lambda n: n.set_sublayer("x", nn.ReLU(), True), AttributeError, "has no attribute `x`"),
    ],
)
def test_wrong_paths(call, error, text):
    with pytest.raises(error, match=text):
        call(Net())


def test_train_and_eval_reach_every_layer():
    net = Net()
    assert net.eval() is net
    assert [layer.training for layer in net.sublayers(include_self=True)] == [False] * 5
    net.train()
    assert net.seq[1].training
    with pytest.raises(ValueError, match="training mode is expected to be boolean"):
        net.train(3)


def test_apply_goes_bottom_up():
    seen = []
    net = Net()
    assert net.apply(lambda layer: seen.append(type(layer).__name__)) is net
    assert seen == ["Linear", "Linear", "BatchNorm1D", "Sequential", "Net"]


def test_requires_grad_():
    net = Net().requires_grad_(False)
    assert all(p.stop_gradient for p in net.parameters())


def test_gradients_are_cleared_to_zeros_or_none():
    layer = nn.Linear(2, 2)
    for clear, expected in (
        (layer.clear_gradients, 0.0),
        (lambda: layer.clear_gradients(False), None),
        (layer.zero_grad, None),
        (lambda: layer.zero_grad(False), 0.0),
    ):
        layer(paddle.ones([1, 2])).sum().backward()
        assert layer.bias.grad.tolist() == [1.0, 1.0]
        clear()
        grad = layer.bias.grad
        assert grad is None if expected is None else grad.tolist() == [expected] * 2


class Described(nn.Layer):
    def __init__(self, text, sublayers):
        super().__init__()
        self.text = text
        if sublayers:
            self.a = nn.ReLU()
            self.b = nn.Sequential(nn.ReLU())

    def extra_repr(self):
        return self.text


def test_repr():
    assert repr(nn.Layer()) == "Layer()"
    assert repr(Described("x=1", False)) == "Described(x=1)"
    below = "  (a): ReLU()\n  (b): Sequential(\n    (0): ReLU()\n  )\n)"
    assert repr(Described("", True)) == f"Described(\n{below}"
    assert repr(Described("x=1", True)) == f"Described(x=1\n{below}"
    assert repr(Described("x=1\ny=2", False)) == "Described(\n  x=1\n  y=2\n)"
    assert repr(Described("x=1\ny=2", True)) == f"Described(\n  x=1\n  y=2\n\n{below}"


def test_forward_and_backward_that_are_not_defined():
    with pytest.raises(NotImplementedError, match=r"Layer does not define forward\(\)"):
        nn.Layer()(1)
    with pytest.raises(ValueError, match="Layer shouldn't implement backward"):
        nn.Layer().backward(1)


def test_build_once_runs_before_the_first_call():
    class Lazy(nn.Layer):
        def _build_once(self, x, scale):
            self.seen = [*getattr(self, "seen", []), x + scale]

        def forward(self, x, scale):
            return x

    layer = Lazy()
    layer(1, scale=2)
    layer(5, scale=2)
    assert layer.seen == [3]


def test_create_variable():
    layer = nn.Layer("scope")
    state = layer.create_variable("state", persistable=True, dtype="int64")
    assert (state.name, state.persistable) == (f"{layer.full_name()}.state", True)
    assert state.dtype == paddle.int64
    assert layer.create_tensor().dtype == "float32"


def test_deepcopy_copies_values_and_keeps_nothing_shared():
    net = Net()
    net.register_forward_post_hook(lambda layer, inputs, output: output * 2)
    copied = copy.deepcopy(net)
    assert copied.full_name() == net.full_name()
    assert copied.fc.weight is not net.fc.weight
    assert copied.fc.weight.name.startswith("linear_0.w_0_deepcopy_")
    np.testing.assert_array_equal(copied.fc.weight.numpy(), net.fc.weight.numpy())
    before = net.w.numpy()
    copied.w.set_value(paddle.zeros([2, 2]))
    np.testing.assert_array_equal(net.w.numpy(), before)
    x = paddle.ones([1, 2])
    np.testing.assert_array_equal(copied(x).numpy(), net(x).numpy())


def test_copy_shares_the_members():
    net = Net()
    assert copy.copy(net).fc is net.fc


def test_pickle():
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1D(3))
    restored = pickle.loads(pickle.dumps(net))
    assert repr(restored) == repr(net)
    for (path, one), (other_path, other) in zip(
        net.state_dict().items(), restored.state_dict().items(), strict=True
    ):
        assert path == other_path
        assert one.stop_gradient == other.stop_gradient
        np.testing.assert_array_equal(one.numpy(), other.numpy())


# ---- shallow copies


class Slotted(nn.Layer):
    __slots__ = ("kept",)

    def __init__(self):
        super().__init__()
        self.kept = 3


class Rebuilt(nn.Layer):
    def __reduce__(self):
        return Rebuilt, ()


def test_a_copy_has_its_own_marked_forward():
    net = paddle.jit.to_static(nn.Dropout(0.9))
    other = copy.copy(net)
    other.training = False
    assert other(paddle.ones([64])).tolist() == [1.0] * 64
    assert net.forward.class_instance is net
    assert other.forward.class_instance is other


def test_copies_of_all_kinds_of_layers():
    assert copy.copy(Slotted()).kept == 3
    assert type(copy.copy(Rebuilt())) is Rebuilt
    net = nn.Linear(2, 2)
    net.shown, net.called = net.__repr__, net.extra_repr
    other = copy.copy(net)
    assert other.weight is net.weight
    assert other.called.__self__ is other
