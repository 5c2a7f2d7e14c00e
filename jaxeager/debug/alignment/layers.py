"""The values that a model of Paddle's API computes, layer by layer: here or in real Paddle.

This file is also run as a script (``python layers.py``), under a Python that has Paddle. It
imports nothing but NumPy and the library of its model.
"""

import runpy
import sys

import numpy as np


def parameters(model) -> list:
    """Return (name, class of its layer, array) of each parameter and buffer, in their order."""
    found = []
    for prefix, layer in model.named_sublayers(include_self=True):
        held = [*layer._parameters.items(), *layer._buffers.items()]
        kind = type(layer).__name__
        found += [
            (f"{prefix}.{name}".strip("."), kind, tensor.numpy())
            for name, tensor in held
            if tensor is not None
        ]
    return found


def give(model, values: list) -> None:
    """Write arrays into a model's parameters and buffers, in their order."""
    places = [
        tensor
        for _, layer in model.named_sublayers(include_self=True)
        for tensor in [*layer._parameters.values(), *layer._buffers.values()]
        if tensor is not None
    ]
    for tensor, value in zip(places, values, strict=True):
        tensor.set_value(value)


def run(library, model, inputs: list, seed: int) -> tuple[list, list]:
    """Run a model forward and backward.

    Args:
        library: the module of Paddle's API.
        model: a Layer of that library.
        inputs: NumPy arrays.
        seed: for the gradient that backward starts from.

    Returns:
        (name, output) of each innermost layer, in call order, and of the model at the end;
        (name, gradient) of each parameter, with None for a missing gradient.
    """
    outputs: list = []
    handles = []
    for name, layer in model.named_sublayers():
        if not list(layer.children()):
            handles.append(layer.register_forward_post_hook(_noting(outputs, name)))
    try:
        result = model(*[library.to_tensor(each) for each in inputs])
    finally:
        for handle in handles:
            handle.remove()
    first = _first(result)
    outputs.append(("the model", first.numpy()))
    weights = np.random.default_rng(seed).standard_normal(first.shape).astype("float32")
    for each in model.parameters():
        each.clear_gradient(False)
    first.backward(library.to_tensor(weights).astype(first.dtype))
    return outputs, [
        (name, None if each.grad is None else each.grad.numpy())
        for name, each in model.named_parameters()
        if not each.stop_gradient
    ]


def _noting(outputs: list, name: str):
    def note(layer, given, result):
        outputs.append((name, _first(result).numpy()))

    return note


def _first(result):
    return _first(result[0]) if isinstance(result, (tuple, list)) else result


def main(source: str, given: str, made: str) -> None:
    """Build the model that ``source`` (FILE:FUNCTION) names, and write the values it computes.

    ``given`` is an .npz of weights ``w0``, ..., inputs ``x0``, ... and a seed; without weights the
    model keeps its own. The result is written to ``made``.
    """
    import paddle  # pyright: ignore[reportMissingImports]

    path, _, function = source.rpartition(":")
    model = runpy.run_path(path)[function]()
    with np.load(given) as held:
        weights = [held[f"w{k}"] for k in range(sum(n.startswith("w") for n in held.files))]
        inputs = [held[f"x{k}"] for k in range(sum(n.startswith("x") for n in held.files))]
        seed, is_training = int(held["seed"]), bool(held["training"])
    if weights:
        give(model, weights)
    model.train() if is_training else model.eval()
    outputs, grads = run(paddle, model, inputs, seed) if inputs else ([], [])
    written = {}
    for kind, pairs in (("o", outputs), ("g", grads)):
        for number, (name, value) in enumerate(pairs):
            is_there = value is not None
            written[f"{kind}{number:06}:{name}"] = value if is_there else np.array("None")
    for number, (name, layer, value) in enumerate(parameters(model)):
        written[f"p{number:06}:{layer}:{name}"] = value
    np.savez(made, **written)


if __name__ == "__main__":
    main(*sys.argv[1:])
