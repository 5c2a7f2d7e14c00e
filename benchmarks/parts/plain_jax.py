"""Training steps in plain JAX: forward, gradients and Adam of a model in one jitted function.

An eager step is compared with these, because no call of them can be saved: the same mathematics in
jax.numpy and jax.lax, updated batch statistics if the model has them, every buffer of the state
donated. A model's weights have the names and shapes of the state dict of its namesake in models.py,
so that a test can start both from the same numbers. MobileNetV2 is omitted: it has a dropout, whose
random numbers would differ.
"""

import numpy as np

from .models import RATE, batch_of
from .programs import lenet_batch, lenet_weights

EPSILON = 1e-5  # of layer and batch normalization


def jax_lenet(jax):
    """Return the training step of LeNet, and the function that reads one of its weights."""
    step, state = training_step(jax, lenet, lenet_weights(), lenet_batch())
    return step, lambda: np.asarray(state()["fc3.weight"])


def jax_model(jax, name: str):
    """Return the training step of a model of models.py; None if there is no such model."""
    if name == "lenet":
        return jax_lenet(jax)[0]
    if name not in MODELS:
        return None
    shapes, logits_of = MODELS[name]
    return training_step(jax, logits_of, weights_of(shapes()), batch_of(name))[0]


def weights_of(shapes: dict[str, tuple]) -> dict[str, np.ndarray]:
    """Return initial weights: norms scale by 1, all others are random."""
    rng, weights = np.random.default_rng(7), {}
    for name, shape in shapes.items():
        is_one = name.endswith("_variance") or (name.endswith("weight") and len(shape) == 1)
        value = np.ones(shape) if is_one else rng.normal(0, 0.1, shape)
        weights[name] = value.astype("float32")
    return weights


def training_step(jax, logits_of, weights: dict, batch: tuple):
    """Return a function that runs one step and returns the loss, and one that returns the weights.

    Args:
        jax: the library.
        logits_of: a function of jax, weights and inputs that returns logits; or logits and the
            updated batch statistics.
        weights: NumPy arrays by name; statistics among them end in ``_mean`` or ``_variance``.
        batch: inputs and labels.
    """
    jnp = jax.numpy

    def loss_of(trained, statistics, inputs, labels):
        logits = logits_of(jax, trained | statistics, inputs)
        logits, statistics = logits if isinstance(logits, tuple) else (logits, statistics)
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
        return -picked.mean(), statistics

    def update(state, inputs, labels):
        trained, statistics, first, second, count = state
        count = count + 1
        slope = jax.value_and_grad(loss_of, has_aux=True)
        (loss, statistics), grads = slope(trained, statistics, inputs, labels)
        new = {n: _adam(jnp, trained[n], grads[n], first[n], second[n], count) for n in trained}
        trained, first, second = ({n: three[i] for n, three in new.items()} for i in range(3))
        return (trained, statistics, first, second, count), loss

    jitted = jax.jit(update, donate_argnums=0)
    arrays = {name: jnp.asarray(value) for name, value in weights.items()}
    statistics = {n: arrays.pop(n) for n in list(arrays) if n.endswith(("_mean", "_variance"))}
    zeros = [{name: jnp.zeros_like(value) for name, value in arrays.items()} for _ in range(2)]
    state = (arrays, statistics, *zeros, jnp.zeros((), jnp.float32))
    inputs, labels = (jnp.asarray(array) for array in batch)

    def step():
        nonlocal state
        state, loss = jitted(state, inputs, labels)
        return loss

    return step, lambda: state[0]


def _adam(jnp, weight, grad, first, second, count):
    """Return weight and moments after a step."""
    first = 0.9 * first + 0.1 * grad
    second = 0.999 * second + 0.001 * grad * grad
    scale = RATE * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    root = jnp.sqrt(second) + 1e-8 * jnp.sqrt(1 - 0.999**count)
    return weight - scale * first / root, first, second


# ---- layers


def _linear(p, name: str, x):
    return x @ p[f"{name}.weight"] + p[f"{name}.bias"]


def _layer_norm(jax, p, name: str, x):
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred * centred).mean(-1, keepdims=True)
    scaled = centred * jax.lax.rsqrt(variance + EPSILON)
    return scaled * p[f"{name}.weight"] + p[f"{name}.bias"]


def _batch_norm(jax, p, name: str, x, moved: dict):
    mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3))
    for kind, now in (("mean", mean), ("variance", variance)):
        moved[f"{name}._{kind}"] = 0.9 * p[f"{name}._{kind}"] + 0.1 * jax.lax.stop_gradient(now)
    scale = p[f"{name}.weight"] * jax.lax.rsqrt(variance + EPSILON)
    shift = p[f"{name}.bias"] - mean * scale
    return x * scale[:, None, None] + shift[:, None, None]


def _conv(jax, x, weight, stride: int, padding: int):
    return jax.lax.conv_general_dilated(x, weight, (stride, stride), [(padding, padding)] * 2)


def _max_pool(jax, x, size: int, stride: int, padding: int):
    around = [(0, 0), (0, 0), (padding, padding), (padding, padding)]
    window, steps = (1, 1, size, size), (1, 1, stride, stride)
    return jax.lax.reduce_window(x, -np.inf, jax.lax.max, window, steps, around)


def _linear_shapes(name: str, *shape: int) -> dict:
    return {f"{name}.weight": shape, f"{name}.bias": shape[-1:]}


# ---- models


def lenet(jax, p, x):
    """Return the logits of images."""
    relu = jax.nn.relu
    for name, padding in (("conv1", 1), ("conv2", 0)):
        x = _conv(jax, x, p[f"{name}.weight"], 1, padding) + p[f"{name}.bias"][:, None, None]
        x = _max_pool(jax, relu(x), 2, 2, 0)
    x = x.reshape(x.shape[0], -1)
    for name in ("fc1", "fc2", "fc3"):
        x = _linear(p, name, x)
    return x


def _mlp_shapes() -> dict:
    return _linear_shapes("0", 64, 128) | _linear_shapes("2", 128, 10)


def _mlp(jax, p, x):
    return _linear(p, "2", jax.nn.relu(_linear(p, "0", x)))


def _lstm_shapes() -> dict:
    shapes = {"embedding.weight": (200, 64), "lstm.0.cell.weight_ih": (512, 64)}
    shapes |= {"lstm.0.cell.weight_hh": (512, 128), "lstm.0.cell.bias_ih": (512,)}
    return shapes | {"lstm.0.cell.bias_hh": (512,)} | _linear_shapes("head", 128, 12)


def _lstm(jax, p, words):
    jnp, sigmoid = jax.numpy, jax.nn.sigmoid
    x = p["embedding.weight"][words].swapaxes(0, 1)
    given = x @ p["lstm.0.cell.weight_ih"].T + p["lstm.0.cell.bias_ih"] + p["lstm.0.cell.bias_hh"]

    def move(state, now):
        hidden, cell = state
        gates = jnp.split(now + hidden @ p["lstm.0.cell.weight_hh"].T, 4, axis=-1)
        cell = sigmoid(gates[1]) * cell + sigmoid(gates[0]) * jnp.tanh(gates[2])
        hidden = sigmoid(gates[3]) * jnp.tanh(cell)
        return (hidden, cell), hidden

    zeros = jnp.zeros((words.shape[0], 128), jnp.float32)
    _, seen = jax.lax.scan(move, (zeros, zeros), given)
    return _linear(p, "head", seen.swapaxes(0, 1)).reshape(-1, 12)


def _gpt_shapes() -> dict:
    shapes = {"words.weight": (256, 128), "places.weight": (128, 128)}
    for block in range(4):
        for name, shape in (
            ("norm1", (128,)),
            ("norm2", (128,)),
            ("qkv", (128, 384)),
            ("out", (128, 128)),
            ("up", (128, 512)),
            ("down", (512, 128)),
        ):
            shapes |= _linear_shapes(f"blocks.{block}.{name}", *shape)
    return shapes | _linear_shapes("norm", 128) | _linear_shapes("head", 128, 256)


def _gpt(jax, p, words):
    jnp, (batch, length) = jax.numpy, words.shape
    x = p["words.weight"][words] + p["places.weight"][:length]
    mask = jnp.triu(jnp.full((length, length), -1e9, jnp.float32), 1)
    for number in range(4):
        at = f"blocks.{number}"
        qkv = _linear(p, f"{at}.qkv", _layer_norm(jax, p, f"{at}.norm1", x))
        qkv = qkv.reshape(batch, length, 12, 32).transpose(0, 2, 1, 3)
        q, k, v = jnp.split(qkv, 3, axis=1)
        scores = q @ k.swapaxes(2, 3) * np.float32(32**-0.5) + mask
        seen = (jax.nn.softmax(scores) @ v).transpose(0, 2, 1, 3)
        x = x + _linear(p, f"{at}.out", seen.reshape(batch, length, 128))
        inner = _linear(p, f"{at}.up", _layer_norm(jax, p, f"{at}.norm2", x))
        x = x + _linear(p, f"{at}.down", jax.nn.gelu(inner, approximate=False))
    return _linear(p, "head", _layer_norm(jax, p, "norm", x)).reshape(-1, 256)


def _encoder_shapes() -> dict:
    shapes = {}
    for layer in range(2):
        at = f"encoder.layers.{layer}"
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            shapes |= _linear_shapes(f"{at}.self_attn.{name}", 256, 256)
        shapes |= _linear_shapes(f"{at}.linear1", 256, 1024)
        shapes |= _linear_shapes(f"{at}.linear2", 1024, 256)
        shapes |= _linear_shapes(f"{at}.norm1", 256) | _linear_shapes(f"{at}.norm2", 256)
    return shapes | _linear_shapes("head", 256, 10)


def _encoder(jax, p, x):
    batch, length, _ = x.shape

    def heads(at, name, x):
        return _linear(p, f"{at}.self_attn.{name}", x).reshape(batch, length, 4, 64).swapaxes(1, 2)

    for layer in range(2):
        at = f"encoder.layers.{layer}"
        q, k, v = (heads(at, name, x) for name in ("q_proj", "k_proj", "v_proj"))
        scores = jax.nn.softmax(q @ k.swapaxes(2, 3) * np.float32(64**-0.5))
        seen = (scores @ v).swapaxes(1, 2).reshape(batch, length, 256)
        x = _layer_norm(jax, p, f"{at}.norm1", x + _linear(p, f"{at}.self_attn.out_proj", seen))
        inner = _linear(p, f"{at}.linear2", jax.nn.relu(_linear(p, f"{at}.linear1", x)))
        x = _layer_norm(jax, p, f"{at}.norm2", x + inner)
    return _linear(p, "head", x.mean(1))


def _resnet_blocks() -> list[tuple[str, int, int, int]]:
    """Return the name of each block, its channels before and after, and its stride."""
    blocks = []
    for stage, (before, after) in enumerate(((64, 64), (64, 128), (128, 256), (256, 512)), 1):
        blocks.append((f"layer{stage}.0", before, after, 1 if before == after else 2))
        blocks.append((f"layer{stage}.1", after, after, 1))
    return blocks


def _norm_shapes(name: str, channels: int) -> dict:
    return {f"{name}.{each}": (channels,) for each in ("weight", "bias", "_mean", "_variance")}


def _resnet18_shapes() -> dict:
    shapes = {"conv1.weight": (64, 3, 7, 7)} | _norm_shapes("bn1", 64)
    for at, before, after, _ in _resnet_blocks():
        shapes[f"{at}.conv1.weight"] = (after, before, 3, 3)
        shapes[f"{at}.conv2.weight"] = (after, after, 3, 3)
        shapes |= _norm_shapes(f"{at}.bn1", after) | _norm_shapes(f"{at}.bn2", after)
        if before != after:
            shapes[f"{at}.downsample.0.weight"] = (after, before, 1, 1)
            shapes |= _norm_shapes(f"{at}.downsample.1", after)
    return shapes | _linear_shapes("fc", 512, 10)


def _resnet18(jax, p, x):
    relu, moved = jax.nn.relu, {}

    def normed(conv, norm, x, stride, padding):
        out = _conv(jax, x, p[f"{conv}.weight"], stride, padding)
        return _batch_norm(jax, p, norm, out, moved)

    x = _max_pool(jax, relu(normed("conv1", "bn1", x, 2, 3)), 3, 2, 1)
    for at, before, after, stride in _resnet_blocks():
        inner = relu(normed(f"{at}.conv1", f"{at}.bn1", x, stride, 1))
        inner = normed(f"{at}.conv2", f"{at}.bn2", inner, 1, 1)
        if before != after:
            x = normed(f"{at}.downsample.0", f"{at}.downsample.1", x, stride, 0)
        x = relu(inner + x)
    return _linear(p, "fc", x.mean((2, 3))), moved


MODELS = {
    "mlp": (_mlp_shapes, _mlp),
    "lstm": (_lstm_shapes, _lstm),
    "gpt": (_gpt_shapes, _gpt),
    "encoder": (_encoder_shapes, _encoder),
    "resnet18": (_resnet18_shapes, _resnet18),
}
