"""Nested lists, tuples, named tuples and dicts of tensors: flattened, and rebuilt."""

from collections.abc import Callable

import jax

from jaxeager.errors import InvalidArgumentError
from jaxeager.tensor import Tensor


def _is_leaf(value) -> bool:
    return isinstance(value, Tensor)


def flatten(tree, is_leaf: Callable = _is_leaf) -> list:
    """Return the leaves of a nested structure, in order; dicts by sorted key.

    Args:
        tree: nested lists, tuples, named tuples and dicts, or a single value.
        is_leaf: returns where to stop; at tensors by default.

    Example:
        >>> from jaxeager.utils.structure import flatten
        >>> flatten([1, (2, {"b": 4, "a": 3})])
        [1, 2, 3, 4]
    """
    return jax.tree.leaves(tree, is_leaf=is_leaf)


def to_list(value) -> list | None:
    """Return a list or tuple as a list, None as it is, and anything else as a list of it.

    Example:
        >>> from jaxeager.utils.structure import to_list
        >>> to_list((1, 2)), to_list(3), to_list(None)
        ([1, 2], [3], None)
    """
    if value is None:
        return None
    return list(value) if isinstance(value, (list, tuple)) else [value]


def map_structure(function: Callable, *trees, is_leaf: Callable = _is_leaf):
    """Return the structure of the first tree with ``function`` applied to the leaves of all.

    Args:
        function: takes one leaf of each tree.
        *trees: structures with the same number of leaves.
        is_leaf: returns where to stop; at tensors by default.

    Raises:
        InvalidArgumentError: when one has more leaves than another.

    Example:
        >>> from jaxeager.utils.structure import map_structure
        >>> map_structure(lambda a, b: a + b, [1, (2,)], [10, [20]])
        [11, (22,)]
    """
    columns, structure = [], None
    for tree in trees:
        leaves, found = jax.tree.flatten(tree, is_leaf=is_leaf)
        columns.append(leaves)
        structure = found if structure is None else structure
    counts = [len(each) for each in columns]
    if structure is None or len(set(counts)) != 1:
        raise InvalidArgumentError(
            "The nested structures must have equally many tensors, but they have "
            f"{', '.join(map(str, counts))}."
        )
    return jax.tree.unflatten(structure, [function(*each) for each in zip(*columns, strict=True)])
