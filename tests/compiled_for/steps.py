"""Compile whole training steps for devices that are not there, and print what they take.

    python -m tests.compiled_for.steps TARGET

A step is forward, backward and the optimizer's update as one program. The sharded ones are those
of examples/parallel_transformer.py on 4 devices: their program is exported from 4 devices of a CPU.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import jaxeager as paddle
from examples import parallel_transformer as example
from jaxeager.arrays.sharded import is_spread
from jaxeager.distributed.mesh.collective_counts import counted
from jaxeager.distributed.mesh.compiled_steps import CompiledStep
from tests.compiled_for.targets import TARGETS, Target


class Compiled(NamedTuple):
    """A compiled step.

    Attributes:
        devices: the number of devices it runs on.
        kernels: the number of fused loops and library calls, which each of them runs.
        messages: the number of messages between them.
        megabytes: the memory that it takes on each, operands included.
    """

    devices: int
    kernels: int
    messages: int
    megabytes: float


def compiled_steps(target: str) -> dict[str, Compiled]:
    """Compile each step for a target, a key of TARGETS, in another process."""
    command = [sys.executable, "-m", "tests.compiled_for.steps", target, "child"]
    done = subprocess.run(
        command, env=os.environ | TARGETS[target].environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-4000:])
    found = json.loads(done.stdout.splitlines()[-1])
    return {name: Compiled(*numbers) for name, numbers in found.items()}


def _compile(target: Target, step: Any, batch: tuple) -> Compiled:
    """Compile a CompiledStep for a batch."""
    given = step._arguments(batch)
    exported = jax.export.export(step._kernel, platforms=[target.platform])(*given)
    spread = [each.sharding for each in jax.tree.leaves(given) if is_spread(each)]
    names, shape = ("all",), (1,)
    if spread:
        names, shape = spread[0].mesh.axis_names, spread[0].mesh.devices.shape
    mesh = Mesh(np.array(target.devices()[: exported.nr_devices]).reshape(shape), names)

    def on_target(array):
        spec = array.sharding.spec if is_spread(array) else PartitionSpec()
        where = NamedSharding(mesh, spec)
        return jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=where)

    traced = jax.jit(exported.call).trace(*jax.tree.map(on_target, given))
    compiled = traced.lower(lowering_platforms=(target.platform,)).compile()
    memory = compiled.memory_analysis()
    taken = memory.argument_size_in_bytes + memory.temp_size_in_bytes
    entry = compiled.as_text().partition("\nENTRY ")[2]
    kernels = len(re.findall(r" (?:fusion|custom-call)\(", entry))
    messages = sum(counted(compiled).values())
    return Compiled(exported.nr_devices, kernels, messages, round(taken / 1e6, 1))


def _steps() -> dict[str, Callable[[], tuple[Any, tuple]]]:
    """Return functions that make a step and its batch, by name."""

    def of_images(make: Callable, shape: list[int], level: str = "O0"):
        model = make(num_classes=10)
        adam = paddle.optimizer.AdamW(1e-3, parameters=model.parameters())

        def forward_and_backward(images, labels):
            with paddle.amp.auto_cast(level != "O0", level=level, dtype="bfloat16"):
                loss = paddle.nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            return loss

        state = [*model.parameters(), *model.buffers()]
        step = CompiledStep(forward_and_backward, state, adam)
        return step, (paddle.randn(shape), paddle.randint(0, 10, shape[:1]))

    def of_words(way, level: str = "O0"):
        model, adam = example.made(way)

        def forward_and_backward(words, targets):
            with paddle.amp.auto_cast(level != "O0", level=level, dtype="bfloat16"):
                loss = model(words, targets)
            loss.backward()
            return loss

        step = CompiledStep(forward_and_backward, model.parameters(), adam)
        ((words, targets),) = example.batches(1)
        return step, (way.batch(words), way.batch(targets))

    models, way = paddle.vision.models, example.Way
    return {
        "LeNet": lambda: of_images(models.LeNet, [64, 1, 28, 28]),
        "ResNet-18": lambda: of_images(models.resnet18, [8, 3, 64, 64]),
        "ResNet-18, bfloat16": lambda: of_images(models.resnet18, [8, 3, 64, 64], "O1"),
        "transformer": lambda: of_words(example.OneDevice()),
        "transformer, bfloat16": lambda: of_words(example.OneDevice(), "O1"),
        "transformer, data 4": lambda: of_words(way(4, 1)),
        "transformer, ZeRO-3 4": lambda: of_words(way(4, 1, stage=3)),
        "transformer, tensor 4": lambda: of_words(way(1, 4)),
        "transformer, tensor and sequence 4": lambda: of_words(way(1, 4, is_sequence=True)),
        "transformer, data 2, tensor and sequence 2, ZeRO-3": lambda: of_words(
            way(2, 2, is_sequence=True, stage=3)
        ),
    }


def main(target: str) -> None:
    """Compile all steps in this process and print their numbers as JSON."""
    jax.config.update("jax_num_cpu_devices", 4)
    found = {name: _compile(TARGETS[target], *make()) for name, make in _steps().items()}
    print(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[2:] == ["child"]:
        main(sys.argv[1])
    else:
        for name, numbers in compiled_steps(sys.argv[1]).items():
            print(f"{name}: {numbers}")
