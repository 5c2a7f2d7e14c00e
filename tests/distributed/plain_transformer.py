"""The transformer of examples/parallel_transformer.py in plain JAX, with the same shardings."""

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

from examples import parallel_transformer as example
from jaxeager.distributed.mesh.jax_shardings import jax_mesh

RATE, DECAY, BETA1, BETA2, EPSILON = 1e-3, 0.01, 0.9, 0.999, 1e-8


def norm(x, weight, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * weight + bias


def program(way, model, adam):
    """Return the jitted step of (parameters, first and second moments, count, batch)."""
    mesh = jax_mesh(way.mesh)

    def constrained(x, *spec):
        return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, PartitionSpec(*spec)))

    def by_position(x):
        return constrained(x, "dp", "mp" if way.is_sequence else None)

    def whole(x):
        return constrained(x, "dp", None)

    def linear(params, name, x):
        return x @ params[f"{name}.weight"] + params[f"{name}.bias"]

    def normed(params, name, x):
        return norm(x, params[f"{name}.weight"], params[f"{name}.bias"])

    def heads(x):
        size = example.WIDTH // example.HEADS
        shape = x.shape[0], example.LENGTH, example.HEADS, size
        return x.reshape(shape).transpose(0, 2, 1, 3)

    def attention(params, name, x):
        query, key, value = (
            heads(linear(params, f"{name}.{each}", x)) for each in ("query", "key", "value")
        )
        size = example.WIDTH // example.HEADS
        scores = query @ key.transpose(0, 1, 3, 2) / size**0.5
        hidden = jnp.triu(jnp.full([example.LENGTH] * 2, -1e9, x.dtype), 1)
        mixed = jax.nn.softmax(scores + hidden) @ value
        mixed = mixed.transpose(0, 2, 1, 3).reshape(x.shape[0], example.LENGTH, example.WIDTH)
        return linear(params, f"{name}.out", mixed)

    def block(params, name, x):
        y = whole(normed(params, f"{name}.norm1", x))
        x = x + by_position(attention(params, name, y))
        y = jax.nn.gelu(
            linear(params, f"{name}.up", whole(normed(params, f"{name}.norm2", x))),
            approximate=False,
        )
        return x + by_position(linear(params, f"{name}.down", y))

    def loss_of(params, words, targets):
        x = by_position(jnp.take(params["words.weight"], words, axis=0))
        for number in range(example.LAYERS):
            x = block(params, f"blocks.{number}", x)
        scores = linear(params, "head", whole(normed(params, "norm", x)))
        logs = jax.nn.log_softmax(scores)
        return -jnp.take_along_axis(logs, targets[..., None], -1).mean()

    shardings = {name: each._array.sharding for name, each in model.named_parameters()}

    def step(params, first, second, count, words, targets):
        loss, grads = jax.value_and_grad(loss_of)(params, words, targets)
        layout = jax.lax.with_sharding_constraint
        grads = {name: layout(each, shardings[name]) for name, each in grads.items()}
        rate = RATE * jnp.sqrt(1 - BETA2**count) / (1 - BETA1**count)
        found = {}, {}, {}
        for name, grad in grads.items():
            m = BETA1 * first[name] + (1 - BETA1) * grad
            v = BETA2 * second[name] + (1 - BETA2) * grad * grad
            small = EPSILON * jnp.sqrt(1 - BETA2**count)
            p = params[name] * (1 - RATE * DECAY) - rate * m / (jnp.sqrt(v) + small)
            for out, each in zip(found, (p, m, v), strict=True):
                out[name] = layout(each, shardings[name])
        return loss, *found, count + 1

    return jax.jit(step)


def run(way, steps):
    """Return losses and the compiled program."""
    model, adam = example.made(way)
    step = program(way, model, adam)
    params = {name: each._array for name, each in model.named_parameters()}
    zeros = {name: jnp.zeros_like(each) for name, each in params.items()}
    zeros = {name: jax.device_put(each, params[name].sharding) for name, each in zeros.items()}
    state = params, zeros, dict(zeros), jnp.float32(1)
    losses = []
    for words, targets in example.batches(steps):
        batch = way.batch(words)._array, way.batch(targets)._array
        loss, *state = step(*state, *batch)
        losses.append(float(loss))
    return losses, step.lower(*state, *batch).compile()
