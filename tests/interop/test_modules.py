"""Flax NNX and Equinox modules as Layers, and Layers as theirs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager import interop
from jaxeager.errors import InvalidTypeError, UnavailableError
from jaxeager.interop import packages

CLOSE = {"rtol": 2e-5, "atol": 2e-6}
NOT_THERE = "this needs pip install 'jaxeager[interop]'"


def data(*shape, seed=0):
    """Return random float32 numbers."""
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


class Net(paddle.nn.Layer):
    """A Layer with running statistics and dropout."""

    def __init__(self):
        super().__init__()
        self.body = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.BatchNorm1D(4))
        self.drop = paddle.nn.Dropout(0.5)
        self.head = paddle.nn.Linear(4, 2)

    def forward(self, x):
        """Return two numbers for each row."""
        return self.head(self.drop(paddle.tanh(self.body(x))))


@pytest.fixture
def net():
    """Return a Net in eval mode."""
    paddle.seed(5)
    made = Net()
    made.eval()
    return made


def eager_gradients(net, x):
    """Return the gradients of the sum of squares, by name."""
    (net(paddle.to_tensor(x)) ** 2).sum().backward()
    wanted = [pair for pair in net.named_parameters() if not pair[1].stop_gradient]
    found = {name: each.grad.numpy() for name, each in wanted}
    net.clear_gradients()
    return found


# ---- pure


def test_pure_gives_what_the_layer_gives(net):
    x = data(5, 3)
    apply, params, buffers = interop.pure(net)
    assert set(params) == {
        "body.0.weight",
        "body.0.bias",
        "body.1.weight",
        "body.1.bias",
        "head.weight",
        "head.bias",
    }
    assert set(buffers) == {"body.1._mean", "body.1._variance"}
    out, after = jax.jit(apply)(params, buffers, x)
    np.testing.assert_allclose(out, net(paddle.to_tensor(x)).numpy(), **CLOSE)
    assert all((after[name] == buffers[name]).all() for name in buffers)
    found = jax.jit(jax.grad(lambda p: (apply(p, buffers, x)[0] ** 2).sum()))(params)
    for name, grad in eager_gradients(net, x).items():
        np.testing.assert_allclose(found[name], grad, err_msg=name, **CLOSE)


def test_pure_in_training_draws_from_its_key_and_returns_statistics(net):
    x = data(64, 3)
    apply, params, buffers = interop.pure(net)

    @jax.jit
    def run(key):
        return apply(params, buffers, x, key=key, training=True)

    (first, after), (again, _) = run(jax.random.key(1)), run(jax.random.key(1))
    (other, _) = run(jax.random.key(2))
    assert (first == again).all()
    assert (first != other).any()
    mean = x @ net.body[0].weight.numpy() + net.body[0].bias.numpy()
    wanted = 0.9 * np.asarray(buffers["body.1._mean"]) + 0.1 * mean.mean(0)
    np.testing.assert_allclose(after["body.1._mean"], wanted, **CLOSE)
    assert not net.training  # it is unchanged
    assert (net.body[1]._mean.numpy() == 0).all()
    with pytest.raises(InvalidTypeError, match="pure takes a Layer, but got function"):
        interop.pure(lambda x: x)


def test_a_missing_package_says_what_to_install():
    with pytest.raises(UnavailableError, match=r"needs nowhere: pip install 'jaxeager\[interop\]'"):
        packages.needed("nowhere.at_all", "this")


# ---- Flax NNX


def nnx_module():
    """Return flax.nnx, and a module with running statistics and dropout."""
    nnx = pytest.importorskip("flax.nnx", reason=NOT_THERE)

    class Flax(nnx.Module):
        def __init__(self, rngs):
            self.layers = nnx.List([nnx.Linear(3, 4, rngs=rngs), nnx.BatchNorm(4, rngs=rngs)])
            self.drop = nnx.Dropout(0.5, rngs=rngs)
            self.head = nnx.Linear(4, 2, rngs=rngs)

        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return self.head(self.drop(jnp.tanh(x)))

    return nnx, Flax(nnx.Rngs(0))


def test_an_nnx_module_is_a_layer(tmp_path):
    nnx, module = nnx_module()
    layer, x = interop.from_nnx(module), data(6, 3)
    names = {name for name, _ in layer.named_parameters()}
    assert names == {
        "layers.0.kernel", "layers.0.bias", "layers.1.scale", "layers.1.bias", "head.kernel",
        "head.bias",
    }  # fmt: skip
    layer.eval()
    module.eval()
    out = layer(paddle.to_tensor(x))
    np.testing.assert_allclose(out.numpy(), module(x), **CLOSE)
    assert out.grad_fn.name() == "GradNodeJax_Flax"
    (out**2).sum().backward()
    grads = nnx.grad(lambda m: (m(x) ** 2).sum())(module)
    np.testing.assert_allclose(
        layer.head.kernel.grad.numpy(), grads["head"]["kernel"][...], **CLOSE
    )
    paddle.save(layer.state_dict(), f"{tmp_path}/state.pdparams")
    _, other = nnx_module()
    again = interop.from_nnx(other)
    again.set_state_dict(paddle.load(f"{tmp_path}/state.pdparams"))
    again.eval()
    assert (again(paddle.to_tensor(x)).numpy() == out.numpy()).all()


def test_an_nnx_module_trains_as_a_layer():
    _, module = nnx_module()
    layer, x = interop.from_nnx(module), data(64, 3)
    y = (x.sum(1, keepdims=True) > 0).astype("float32")
    optimizer = paddle.optimizer.Adam(0.05, parameters=layer.parameters())
    before = {name: each.numpy() for name, each in layer.named_buffers()}
    losses = []
    for _ in range(30):
        loss = ((layer(paddle.to_tensor(x)) - paddle.to_tensor(y)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]
    after = dict(layer.named_buffers())
    assert any((after[name].numpy() != before[name]).any() for name in before)
    drawn = [layer(paddle.to_tensor(x)).numpy() for _ in range(2)]
    assert (drawn[0] != drawn[1]).any()  # its own random stream advances
    layer.eval()
    kept = [layer(paddle.to_tensor(x)).numpy() for _ in range(2)]
    assert (kept[0] == kept[1]).all()


def test_a_layer_is_an_nnx_module(net):
    nnx = pytest.importorskip("flax.nnx", reason=NOT_THERE)
    module, x = interop.to_nnx(net, nnx.Rngs(3)), data(64, 3)
    np.testing.assert_allclose(
        nnx.jit(lambda m, x: m(x))(module, x), net(paddle.to_tensor(x)), **CLOSE
    )
    grads = nnx.grad(lambda m: (m(x) ** 2).sum())(module)
    wanted = eager_gradients(net, x)
    np.testing.assert_allclose(grads["params"]["head/weight"][...], wanted["head.weight"], **CLOSE)
    module.train()
    before = np.asarray(module.buffers["body/1/_mean"][...])
    first = nnx.jit(lambda m, x: m(x))(module, x)
    assert (np.asarray(module.buffers["body/1/_mean"][...]) != before).all()
    assert (np.asarray(first) != np.asarray(module(x))).any()
    module.eval()
    assert (np.asarray(module(x)) == np.asarray(module(x))).all()


def test_there_and_back_through_nnx(net):
    pytest.importorskip("flax.nnx", reason=NOT_THERE)
    x = paddle.to_tensor(data(4, 3))
    back = interop.from_nnx(interop.to_nnx(net))
    back.eval()
    np.testing.assert_allclose(back(x).numpy(), net(x).numpy(), **CLOSE)
    with pytest.raises(InvalidTypeError, match=r"takes an nnx\.Module, but got Net"):
        interop.from_nnx(net)


# ---- Equinox


def test_an_equinox_module_is_a_layer():
    eqx = pytest.importorskip("equinox", reason=NOT_THERE)
    module, x = eqx.nn.MLP(3, 2, 8, 2, key=jax.random.key(0)), data(5, 3)
    layer = interop.from_equinox(module, batched=True)
    assert "layers.0.weight" in {name for name, _ in layer.named_parameters()}
    out = layer(paddle.to_tensor(x))
    np.testing.assert_allclose(out.numpy(), jax.vmap(module)(x), **CLOSE)
    (out**2).sum().backward()
    grads = eqx.filter_grad(lambda m: (jax.vmap(m)(x) ** 2).sum())(module)
    np.testing.assert_allclose(
        layer.layers._sub_layers["0"].weight.grad.numpy(), grads.layers[0].weight, **CLOSE
    )
    one = interop.from_equinox(module)
    np.testing.assert_allclose(one(paddle.to_tensor(x[0])).numpy(), module(x[0]), **CLOSE)
    with pytest.raises(InvalidTypeError, match=r"takes an eqx.Module, but got"):
        interop.from_equinox(layer)


def test_an_equinox_module_that_draws():
    eqx = pytest.importorskip("equinox", reason=NOT_THERE)
    layer = interop.from_equinox(eqx.nn.Dropout(0.5), batched=True)
    x = paddle.ones([64, 32])
    paddle.seed(9)
    first, second = layer(x).numpy(), layer(x).numpy()
    assert (first != second).any()
    assert (first[0] != first[1]).any()  # each sample has a separate key
    paddle.seed(9)
    assert (layer(x).numpy() == first).all()
    layer.eval()
    assert (layer(x) == x).all()


def test_a_layer_is_an_equinox_module(net):
    eqx = pytest.importorskip("equinox", reason=NOT_THERE)
    module, x = interop.to_equinox(net), data(64, 3)
    np.testing.assert_allclose(eqx.filter_jit(module)(x), net(paddle.to_tensor(x)), **CLOSE)
    grads = eqx.filter_grad(lambda m: (m(x) ** 2).sum())(module)
    wanted = eager_gradients(net, x)
    np.testing.assert_allclose(grads.params["head.weight"], wanted["head.weight"], **CLOSE)
    training = eqx.nn.inference_mode(module, value=False)
    out, after = training.call_and_update(x, key=jax.random.key(0))
    assert (np.asarray(out) != np.asarray(module(x))).any()
    assert (after.buffers["body.1._mean"] != module.buffers["body.1._mean"]).all()
    back = interop.from_equinox(module)
    back.eval()
    np.testing.assert_allclose(back(paddle.to_tensor(x)).numpy(), module(x), **CLOSE)
