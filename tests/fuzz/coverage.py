"""The public names that the programs of a campaign used."""

import ast
import functools


@functools.lru_cache(maxsize=4096)
def _names(statement: str) -> frozenset[str]:
    found = set()
    for node in ast.walk(ast.parse(statement)):
        if isinstance(node, ast.Attribute):
            found.add(ast.unparse(node) if _is_module(node.value) else f"Tensor.{node.attr}")
    return frozenset(found)


def _is_module(node) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in ("paddle", "F", "nn")


def names_used(statements) -> set[str]:
    """Return the public names in statements, such as `paddle.add`, `F.relu`, `Tensor.add_`."""
    return set().union(*(_names(each) for each in statements)) if statements else set()


def public_names() -> dict[str, set[str]]:
    """Return the names a campaign should use, by kind."""
    import inspect

    import jaxeager as paddle
    from jaxeager.ops.register import FUNCTIONAL, METHODS, PUBLIC

    classes = (name for name in dir(paddle.nn) if inspect.isclass(getattr(paddle.nn, name)))
    optimizers = (n for n in dir(paddle.optimizer) if inspect.isclass(getattr(paddle.optimizer, n)))
    return {
        "paddle": {f"paddle.{name}" for name in PUBLIC},
        "nn.functional": {f"F.{name}" for name in FUNCTIONAL},
        "Tensor": {f"Tensor.{name}" for name in METHODS},
        "nn": {f"nn.{name}" for name in classes},
        "linalg": {f"paddle.linalg.{name}" for name in dir(paddle.linalg) if name[0] != "_"},
        "fft": {f"paddle.fft.{name}" for name in paddle.fft.__all__},
        "optimizer": {f"paddle.optimizer.{name}" for name in optimizers},
    }
