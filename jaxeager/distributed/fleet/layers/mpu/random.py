"""Named states of the random numbers, so that parts of a network can use separate ones."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import numpy as np

import jaxeager as paddle
from jaxeager.distributed.communication.objects import broadcast_object_list
from jaxeager.distributed.fleet.base.topology import group_along
from jaxeager.errors import InvalidArgumentError

MODEL_PARALLEL_RNG = "model_parallel_rng"


class RNGStatesTracker:
    """A store of states of the random numbers, by name.

    Attributes:
        states_: {name: state}.
        seeds_: the seeds of the states.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.meta_parallel import RNGStatesTracker
        >>> tracker = RNGStatesTracker()
        >>> tracker.add("dropout", 7)
        >>> with tracker.rng_state("dropout"):
        ...     mask = paddle.rand([3])
    """

    def __init__(self):
        self.states_: dict[str, list] = {}
        self.seeds_: set[int] = set()

    def reset(self) -> None:
        """Remove all states."""
        self.states_, self.seeds_ = {}, set()

    def add(self, name: str, seed: int) -> None:
        """Add a state.

        Args:
            name: the name of the state.
            seed: the seed of the state.

        Raises:
            InvalidArgumentError: when the name or the seed was used before.
        """
        if seed in self.seeds_:
            raise InvalidArgumentError(f"seed {seed} already exists")
        if name in self.states_:
            raise InvalidArgumentError(f"state {name} already exists")
        outside = paddle.get_rng_state()
        self.seeds_.add(seed)
        paddle.seed(seed)
        self.states_[name] = paddle.get_rng_state()
        paddle.set_rng_state(outside)

    def get_states_tracker(self) -> dict[str, list]:
        """Return {name: state}."""
        return dict(self.states_)

    def set_states_tracker(self, states: dict[str, list]) -> None:
        """Restore the result of ``get_states_tracker``.

        Raises:
            InvalidArgumentError: for a name that was not added.
        """
        for name in states:
            self._check(name)
        self.states_.update(states)

    def _check(self, name: str) -> None:
        if name not in self.states_:
            raise InvalidArgumentError(f"state {name} does not exist")

    @contextlib.contextmanager
    def rng_state(self, name: str = MODEL_PARALLEL_RNG) -> Iterator[None]:
        """Draw random numbers from a state in this context, and restore the outer state after it.

        Args:
            name: the state.

        Raises:
            InvalidArgumentError: for a name that was not added.
        """
        self._check(name)
        outside = paddle.get_rng_state()
        paddle.set_rng_state(self.states_[name])
        try:
            yield
        finally:
            self.states_[name] = paddle.get_rng_state()
            paddle.set_rng_state(outside)


RNG_STATE_TRACKER = RNGStatesTracker()


def get_rng_state_tracker() -> RNGStatesTracker:
    """Return the tracker from which layers of this process draw.

    Example:
        >>> from jaxeager.distributed.fleet.meta_parallel import get_rng_state_tracker
        >>> get_rng_state_tracker() is get_rng_state_tracker()
        True
    """
    return RNG_STATE_TRACKER


def model_parallel_random_seed(seed: int | None = None) -> None:
    """Seed the random numbers that are the same on all processes, and those that differ.

    Args:
        seed: the seed of the former. That of the latter depends on this process's position among
            those that share weights, and on its stage. By default the first of those processes
            draws it at random.

    Example:
        >>> from jaxeager.distributed.fleet import meta_parallel
        >>> meta_parallel.model_parallel_random_seed(7)
        >>> sorted(meta_parallel.get_rng_state_tracker().states_)
        ['model_parallel_rng']
    """
    group = group_along("model")
    if not seed:
        drawn = [int(np.random.randint(0, 10000))]
        if group is not None:
            broadcast_object_list(drawn, group.ranks[0], group)
        seed = drawn[0]
    stages = group_along("pipe")
    place = 0 if group is None else group.rank
    stage, n_stages = (0, 1) if stages is None else (stages.rank, stages.nranks)
    RNG_STATE_TRACKER.reset()
    RNG_STATE_TRACKER.add(MODEL_PARALLEL_RNG, seed + 1 + place * n_stages + stage)
    paddle.seed(seed)


def dropout(
    x: paddle.Tensor,
    p: float = 0.5,
    axis: int | Sequence[int] | None = None,
    rng_name: str | None = None,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> paddle.Tensor:
    """Drop elements, with random numbers from a named state.

    Args:
        x: float[...].
        p: the probability with which an element is dropped.
        axis: the axes of independent draws, which the other axes share; all by default.
        rng_name: the state; the default generator when None.
        training: whether to drop elements.
        mode: "upscale_in_train" or "downscale_in_infer".
        name: a name.

    Raises:
        InvalidArgumentError: for a state that was not added.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.layers import mpu
        >>> mpu.dropout(paddle.ones([3]), 0.5, training=False).tolist()
        [1.0, 1.0, 1.0]
    """
    drawn = contextlib.nullcontext() if rng_name is None else RNG_STATE_TRACKER.rng_state(rng_name)
    with drawn:
        return paddle.nn.functional.dropout(x, p, axis, training=training, mode=mode)
