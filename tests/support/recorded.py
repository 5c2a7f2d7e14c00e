"""The recorded graph of a tensor, as one short line."""

from typing import Any


def recorded(tensor) -> str:
    """Return the backward graph of a tensor: ``"Sqrt(Divide(Sum(leaf),None))"``."""
    return _text(tensor.grad_fn)


def _text(node) -> str:
    if node is None:
        return "None"
    name = node.name()
    if name == "GradNodeAccumulation":
        return "leaf"
    inputs = ",".join(_text(each) for each in node.next_functions)
    return f"{name.replace('GradNode', '')}({inputs})"


def gradient(function, *arrays):
    """Return gradients of the sum of ``function``'s first output, weighted by 1, 2, 3, ..."""
    import numpy as np

    import jaxeager as paddle

    leaves: list[Any] = [paddle.to_tensor(np.asarray(a), stop_gradient=False) for a in arrays]
    out = function(*leaves)
    out = out[0] if isinstance(out, (list, tuple)) else out
    weights = np.arange(1, out.size + 1).reshape(out.shape).astype(out.numpy().dtype)
    (out * paddle.to_tensor(weights)).sum().backward()
    grads = [leaf.grad.numpy().tolist() for leaf in leaves]
    return grads[0] if len(grads) == 1 else grads
