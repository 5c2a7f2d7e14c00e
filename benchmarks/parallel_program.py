"""The step of a large GPT on a mesh, compiled and never run, for one process with many devices.

``python -m benchmarks.parallel_program WAYS_AS_JSON`` writes a line of JSON for each way: the
memory that XLA's program of the step needs on a device, and the messages it sends. The step runs
through the tape of the library: parameters are Tensors on the mesh, ``backward()`` runs node by
node while JAX traces it, and the optimizer's own rule follows.

Numbers are float32 here, since XLA's CPU compiler widens halves before it sends them; the reader of
the lines counts elements.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import jaxeager as paddle
from jaxeager.distributed.mesh import resharding
from jaxeager.distributed.mesh.collective_counts import messages_of
from jaxeager.graph.sharded_leaf import place_gradients
from jaxeager.kernels import size_limit
from jaxeager.nn import functional as F
from jaxeager.ops.call.wrapping import wrap
from jaxeager.optimizer import rules

HYPER = rules.AdamHyper(0.9, 0.95, 1e-8, False, 0.1)


def shapes_of(config):
    """Return {name: shape} of the parameters, with the axes that tensor parallel divides."""
    width, words, length = config["width"], config["words"], config["length"]
    found = {"words": ((words, width), 0), "places": ((length, width), None)}
    for number in range(config["layers"]):
        name = f"{number}."
        found[name + "norm1"] = found[name + "norm2"] = ((width,), None)
        for each in ("query", "key", "value"):
            found[name + each] = ((width, width), 1)
        found[name + "out"] = ((width, width), 0)
        found[name + "up"], found[name + "down"] = ((width, 4 * width), 1), ((4 * width, width), 0)
    found["norm"] = ((width,), None)
    return found


def spec_of(shape, tensor_axis, stage, wants, dp):
    """Return the spec of a parameter, or of the state that is divided from stage ``wants`` on."""
    spec = [None] * len(shape)
    if tensor_axis is not None:
        spec[tensor_axis] = "mp"
    if stage >= wants:
        free = [axis for axis in range(len(shape)) if spec[axis] is None and shape[axis] % dp == 0]
        if free:
            spec[free[0]] = "dp"
    return PartitionSpec(*spec)


class Step:
    """The training step of one way."""

    def __init__(self, way, config):
        self.config, self.stage, self.is_sequence = config, way["stage"], way["sequence"]
        self.dp, self.mp = way["dp"], way["mp"]
        devices = np.array(jax.devices()[: self.dp * self.mp], object)
        self.mesh = Mesh(devices.reshape(self.dp, self.mp), ("dp", "mp"))
        self.shapes = shapes_of(config)

    def lie(self, *spec):
        return NamedSharding(self.mesh, PartitionSpec(*spec))

    def shardings(self, wants):
        return {
            name: NamedSharding(self.mesh, spec_of(shape, axis, self.stage, wants, self.dp))
            for name, (shape, axis) in self.shapes.items()
        }

    def put(self, x, *spec):
        return resharding.put(x, self.lie(*spec))

    def by_position(self, x):
        return self.put(x, "dp", "mp" if self.is_sequence else None, None)

    def whole(self, x):
        return self.put(x, "dp", None, None)

    def heads(self, x):
        heads = self.config["heads"]
        return x.reshape([0, 0, heads, self.config["width"] // heads]).transpose([0, 2, 1, 3])

    def block(self, p, name, x):
        width, heads = self.config["width"], self.config["heads"]
        y = self.whole(F.layer_norm(x, width, p[name + "norm1"]))
        query, key, value = (self.heads(y @ p[name + each]) for each in ("query", "key", "value"))
        scores = query @ key.transpose([0, 1, 3, 2]) * (width // heads) ** -0.5
        mixed = F.softmax(scores) @ value
        mixed = mixed.transpose([0, 2, 1, 3]).reshape([0, 0, width])
        x = x + self.by_position(self.whole(mixed @ p[name + "out"]))
        y = self.whole(F.layer_norm(x, width, p[name + "norm2"]))
        return x + self.by_position(self.whole(F.gelu(y @ p[name + "up"]) @ p[name + "down"]))

    def loss(self, p, words, targets):
        x = self.by_position(F.embedding(words, p["words"]) + p["places"])
        for number in range(self.config["layers"]):
            x = self.block(p, f"{number}.", x)
        scores = self.whole(F.layer_norm(x, self.config["width"], p["norm"])) @ p["words"].T
        return F.cross_entropy(scores, targets.unsqueeze(-1)).mean()

    def run(self, params, first, second, words, targets):
        """Run the step; JAX traces this function."""
        gradients = self.shardings(2)
        tensors = {name: wrap(each, stop_gradient=False) for name, each in params.items()}
        for name, tensor in tensors.items():
            place_gradients(tensor, gradients[name])
        loss = self.loss(tensors, wrap(words), wrap(targets))
        loss.backward()
        powers = jnp.float32([0.9]), jnp.float32([0.95])
        found = {}, {}, {}
        for name, tensor in tensors.items():
            slots = first[name], second[name]
            new, slots = rules.adamw(
                params[name], tensor.grad._array, slots, powers, jnp.float32(1e-4), HYPER
            )
            for out, each in zip(found, (new, *slots), strict=True):
                out[name] = each
        return loss._array, *found

    def arguments(self):
        """Return the shapes of the step's arguments, and their placements."""
        kept, state = self.shardings(3), self.shardings(1)
        batch = (self.dp, self.config["length"])

        def structs(shardings):
            return {
                name: jax.ShapeDtypeStruct(shape, jnp.float32, sharding=shardings[name])
                for name, (shape, _) in self.shapes.items()
            }

        words = jax.ShapeDtypeStruct(batch, jnp.int32, sharding=self.lie("dp", None))
        return structs(kept), structs(state), structs(state), words, words

    def compile(self):
        """Return the compiled program."""
        kept, state = self.shardings(3), self.shardings(1)
        out = None, kept, state, state
        step = jax.jit(self.run, out_shardings=out, donate_argnums=(0, 1, 2))
        return step.lower(*self.arguments()).compile()

    def kernels(self):
        """Return the number of kernels of the step op by op: each is one call in JAX's trace."""
        program = jax.make_jaxpr(self.run)(*self.arguments())
        return sum(each.primitive.name in ("jit", "pjit") for each in program.jaxpr.eqns)


def main(ways, config):
    """Compile the step of each way, with two numbers of layers, and write the results."""
    for way in ways:
        for layers in (2, 3):
            began = time.perf_counter()
            step = Step(way, config | {"layers": layers})
            program = step.compile()
            found = {
                "way": way["name"], "layers": layers,
                "messages": [[m.kind, m.bytes // 4, m.group] for m in messages_of(program)],
                "arguments": program.memory_analysis().argument_size_in_bytes,
                "kernels": step.kernels(),
                "seconds": round(time.perf_counter() - began, 1),
            }  # fmt: skip
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    paddle.set_flags({"FLAGS_warn_compilations": 0})
    size_limit.available_bytes = lambda: size_limit.LARGEST  # no step is ever run
    main(*json.loads(sys.argv[1]))
