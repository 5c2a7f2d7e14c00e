"""Items of a sequence by index, picked in one call of C."""

import operator
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def picker(places: Sequence[int]) -> Callable[[Sequence[Item]], tuple[Item, ...]]:
    """Return a function that picks items by their indices.

    Example:
        >>> from jaxeager.core.itemgetters import picker
        >>> picker([2, 0])("abc"), picker([1])("abc"), picker([])("abc")
        (('c', 'a'), ('b',), ())
    """
    if not places:
        return lambda items: ()
    if len(places) == 1:
        (place,) = places
        return lambda items: (items[place],)
    return operator.itemgetter(*places)
