"""Nested lists, tuples, named tuples and dicts of tensors: taken apart, and put together again."""

from collections.abc import Callable

import jax

from jaxeager.errors import InvalidArgumentError
from jaxeager.tensor import Tensor


def _is_leaf(value) -> bool:
    return isinstance(value, Tensor)


def flatten(tree, is_leaf: Callable = _is_leaf) -> list:
    """Return what is at the ends of a nested structure, in order; dicts by sorted key.

    Args:
        tree: lists, tuples, named tuples and dicts in one another, or a single value.
        is_leaf: says where to stop; at tensors by default.

    Example:
        >>> from jaxeager.utils.structure import flatten
        >>> flatten([1, (2, {"b": 4, "a": 3})])
        [1, 2, 3, 4]
    """
    return jax.tree.leaves(tree, is_leaf=is_leaf)


def map_structure(function: Callable, *trees, is_leaf: Callable = _is_leaf):
    """Return the structure of the first tree with ``function`` of what is at each end of all.

    Args:
        function: takes one value of each tree.
        *trees: structures with equally many ends.
        is_leaf: says where to stop; at tensors by default.

    Raises:
        InvalidArgumentError: when one has more ends than another.

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
