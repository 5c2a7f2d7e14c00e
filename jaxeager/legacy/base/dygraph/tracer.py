"""paddle.base.dygraph.tracer: the recorder of ops, a view of the current mode."""

from __future__ import annotations

from jaxeager.core import places
from jaxeager.graph.mode import grad_mode, is_grad_enabled
from jaxeager.utils import unique_name


class Tracer:
    """Reads and switches how ops run.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.framework._dygraph_tracer()._has_grad
        True
    """

    def __init__(self):
        self._train_mode = True

    @property
    def _has_grad(self) -> bool:
        """Return whether ops are recorded; setting it switches the recording."""
        return is_grad_enabled()

    @_has_grad.setter
    def _has_grad(self, value: bool) -> None:
        grad_mode.enabled = bool(value)

    @property
    def _expected_place(self) -> places.Place:
        """Return the place of new tensors."""
        place = places.place_of(places.current_device())
        return places.typed(place.kind, place.index)

    def _generate_unique_name(self, key: str = "dygraph_tmp") -> str:
        """Return a unique name that starts with a key."""
        return unique_name.generate(key)

    def train_mode(self) -> None:
        """Do nothing: layers have their own ``train``."""
        self._train_mode = True

    def eval_mode(self) -> None:
        """Do nothing: layers have their own ``eval``."""
        self._train_mode = False


TRACER = Tracer()
