"""nn.Layer: state_dict and back."""

from collections import OrderedDict

import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import nn
from jaxeager.utils import unique_name


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.register_buffer("b", paddle.zeros([1]))
        self.register_buffer("lost", paddle.zeros([1]), persistable=False)


@pytest.fixture
def net():
    with unique_name.guard():
        yield Net()


def full_state():
    return {
        "b": np.ones([1], "float32"),
        "fc.weight": np.full([2, 2], 2.0, "float32"),
        "fc.bias": np.full([2], 3.0, "float32"),
    }


def test_keys_and_kinds(net):
    state = net.state_dict()
    assert type(state) is OrderedDict
    assert list(state) == ["b", "fc.weight", "fc.bias"]
    assert state["fc.weight"] is net.fc.weight
    assert list(net.state_dict(include_sublayers=False)) == ["b"]
    assert list(net.state_dict(structured_name_prefix="p.")) == ["p.b", "p.fc.weight", "p.fc.bias"]
    assert list(net.state_dict(prefix="p.")) == ["p.b", "p.fc.weight", "p.fc.bias"]
    assert list(net.to_static_state_dict()) == ["b", "lost", "fc.weight", "fc.bias"]


def test_keep_vars_false_detaches(net):
    weight = net.state_dict(keep_vars=False)["fc.weight"]
    assert weight is not net.fc.weight
    assert weight.stop_gradient
    np.testing.assert_array_equal(weight.numpy(), net.fc.weight.numpy())


def test_destination_is_filled(net):
    destination = {"other": 1}
    assert net.state_dict(destination) is destination
    assert list(destination) == ["other", "b", "fc.weight", "fc.bias"]
    with pytest.raises(TypeError, match="destination of state_dict must be a dict"):
        net.state_dict("x")


def test_hooks_change_or_replace_the_state(net):
    inner = net.fc.register_state_dict_hook(lambda state: state.update(extra=1))
    assert list(net.state_dict()) == ["b", "fc.weight", "fc.bias", "extra"]
    assert list(net.state_dict(use_hook=False)) == ["b", "fc.weight", "fc.bias"]
    inner.remove()
    assert list(net.state_dict()) == ["b", "fc.weight", "fc.bias"]
    net.register_state_dict_hook(lambda state: {"only": 1})
    assert net.state_dict() == {"only": 1}
    assert list(net.fc.state_dict()) == ["weight", "bias"]


@pytest.mark.parametrize("kind", ["numpy", "tensor", "jax"])
def test_loading_copies(net, kind):
    make = {"numpy": np.asarray, "tensor": paddle.to_tensor, "jax": jnp.asarray}[kind]
    state = {name: make(value) for name, value in full_state().items()}
    weight = net.fc.weight
    assert net.set_state_dict(state) == ([], [])
    assert net.fc.weight is weight
    assert weight.tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert (net.b.item(), net.fc.bias.tolist()) == (1.0, [3.0, 3.0])


def test_loading_from_another_layer_shares_no_memory(net):
    other = Net()
    net.set_state_dict(other.state_dict())
    for name, tensor in net.state_dict().items():
        mine, theirs = tensor._array, other.state_dict()[name]._array
        assert mine.unsafe_buffer_pointer() != theirs.unsafe_buffer_pointer()
        np.testing.assert_array_equal(mine, theirs)


def test_missing_and_unexpected_names(net):
    with pytest.warns(UserWarning, match="Skip loading for") as caught:
        result = net.set_state_dict({"fc.weight": full_state()["fc.weight"], "bogus": 3})
    assert result == (["b", "fc.bias"], ["bogus"])
    assert [str(w.message) for w in caught] == [
        "Skip loading for b. b is not found in the provided dict.",
        "Skip loading for fc.bias. fc.bias is not found in the provided dict.",
    ]
    assert net.fc.weight.tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_a_wrong_shape_is_skipped(net):
    before = net.fc.weight.numpy()
    state = {**full_state(), "fc.weight": np.ones([3, 3], "float32")}
    with pytest.warns(UserWarning, match=r"receives a shape \[3, 3\], but the expected shape is"):
        assert net.set_state_dict(state) == (["fc.weight"], ["fc.weight"])
    np.testing.assert_array_equal(net.fc.weight.numpy(), before)


def test_a_wrong_dtype_raises_and_changes_nothing(net):
    state = {**full_state(), "fc.bias": np.ones([2], "float64")}
    with pytest.raises(ValueError, match=r"\[ fc.bias \] need tensor with dtype paddle.float32"):
        net.set_state_dict(state)
    assert net.b.item() == 0.0


def test_names_of_tensors_instead_of_paths(net):
    state = {"linear_0.w_0": np.full([2, 2], 5.0, "float32"), net.b.name: np.ones([1], "float32")}
    with pytest.warns(UserWarning, match=r"fc.bias. linear_0.b_0 is not found"):
        assert net.set_state_dict(state, use_structured_name=False) == (["linear_0.b_0"], [])
    assert net.fc.weight.tolist() == [[5.0, 5.0], [5.0, 5.0]]


def test_aliases(net):
    assert net.set_dict(full_state()) == ([], [])
    assert net.load_dict(full_state()) == ([], [])


def test_set_state_dict_refuses_wrong_types(net):
    with pytest.raises(TypeError, match="state_dict must be a dict"):
        net.set_state_dict(3)
    with pytest.raises(TypeError, match=r"value of 'b' in a state_dict must be a Tensor or an"):
        net.set_state_dict({**full_state(), "b": object()})


def test_load_state_dict_is_strict(net):
    assert repr(net.load_state_dict(full_state())) == "<All keys matched successfully>"
    with pytest.raises(RuntimeError, match="Error\\(s\\) in loading state_dict for Net") as caught:
        net.load_state_dict({"q": np.ones([1], "float32")})
    assert 'Missing key(s) in state_dict: "b", "fc.weight", "fc.bias".' in str(caught.value)
    assert 'Unexpected key(s) in state_dict: "q".' in str(caught.value)


def test_load_state_dict_may_be_lenient(net):
    with pytest.warns(UserWarning, match="Skip loading"):
        result = net.load_state_dict({"q": np.ones([1], "float32")}, strict=False)
    assert result.missing_keys == ["b", "fc.weight", "fc.bias"]
    assert result.unexpected_keys == ["q"]
    assert "unexpected_keys=['q']" in repr(result)
