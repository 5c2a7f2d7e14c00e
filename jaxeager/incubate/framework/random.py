"""The state of the random numbers: as an object, or as the number of one of several states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.arrays import random
from jaxeager.errors import InvalidArgumentError, OutOfRangeError

if TYPE_CHECKING:
    from jaxeager.core.types import PlaceLike


class _States:
    """The states that have a number; the current one is that of the generator.

    Attributes:
        kept: the states by their numbers; that of the current one is as old as its selection.
        current: the number of the current one.
    """

    def __init__(self) -> None:
        self.kept: list[Any] = [None]
        self.current = 0

    def select(self, number: int) -> None:
        """Continue from the state with a number, after keeping the current one."""
        if not 0 <= number < len(self.kept):
            raise OutOfRangeError(
                f"There are {len(self.kept)} states of random numbers, but received the index "
                f"{number}. register_rng_state_as_index() gives a state a number."
            )
        (self.kept[self.current],) = random.get_rng_state()
        self.current = number
        random.set_rng_state([self.kept[number]])

    def add(self, state: object) -> int:
        """Give a state the next number, continue from it, and return the number."""
        self.kept.append(state)
        self.select(len(self.kept) - 1)
        return self.current


_states = _States()


def get_rng_state(device: PlaceLike | None = None, use_index: bool = False) -> list:
    """Return the state of the random numbers, in a list.

    Args:
        device: accepted for compatibility: one generator serves every device.
        use_index: return the number of the state instead.

    Example:
        >>> import jaxeager as paddle
        >>> state = paddle.incubate.get_rng_state()
        >>> a = paddle.rand([2]).tolist()
        >>> paddle.incubate.set_rng_state(state)
        >>> a == paddle.rand([2]).tolist()
        True
    """
    return [_states.current] if use_index else random.get_rng_state()


def set_rng_state(
    state_list: Sequence[Any], device: PlaceLike | None = None, use_index: bool = False
) -> None:
    """Continue from what ``get_rng_state`` returned.

    Args:
        state_list: a list of one state, or of the number of one.
        device: accepted for compatibility: one generator serves every device.
        use_index: whether it is a number.

    Raises:
        InvalidArgumentError: for a list of another length.
        OutOfRangeError: when no state has the number.
    """
    if len(state_list) != 1:
        raise InvalidArgumentError("Length of cpu state list should be equal to 1")
    if use_index:
        _states.select(state_list[0])
    else:
        random.set_rng_state(list(state_list))


def register_rng_state_as_index(
    state_list: Sequence[Any] | None = None, device: PlaceLike | None = None
) -> list[int]:
    """Give a state the next number, continue from it, and return the number in a list.

    Args:
        state_list: a list of the state; the current one when None.
        device: accepted for compatibility: one generator serves every device.

    Example:
        >>> import jaxeager as paddle
        >>> first = paddle.incubate.get_rng_state(use_index=True)
        >>> second = paddle.incubate.register_rng_state_as_index()
        >>> a = paddle.rand([2]).tolist()  # from the second state, which was as the first
        >>> paddle.incubate.set_rng_state(first, use_index=True)
        >>> a == paddle.rand([2]).tolist()
        True
    """
    state = random.get_rng_state() if state_list is None else list(state_list)
    return [_states.add(state[0])]
