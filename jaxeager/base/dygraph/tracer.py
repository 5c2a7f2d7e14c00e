"""paddle.base.dygraph.tracer: what ops are recorded by; a view of the mode that is in force."""

from __future__ import annotations

from jaxeager.core import places
from jaxeager.graph.mode import grad_mode, is_grad_enabled
from jaxeager.utils import unique_name


class Tracer:
    """Says, and switches, how ops run.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.framework._dygraph_tracer()._has_grad
        True
    """

    def __init__(self):
        self._train_mode = True

    @property
    def _has_grad(self) -> bool:
        """Says whether ops are recorded; setting it switches that."""
        return is_grad_enabled()

    @_has_grad.setter
    def _has_grad(self, value: bool) -> None:
        grad_mode.enabled = bool(value)

    @property
    def _expected_place(self) -> places.Place:
        """Return where new tensors go."""
        place = places.place_of(places.current_device())
        return places.typed(place.kind, place.index)

    def _generate_unique_name(self, key: str = "dygraph_tmp") -> str:
        """Return a name that starts with a key and that nothing else has."""
        return unique_name.generate(key)

    def train_mode(self) -> None:
        """Says that ops train; layers have their own ``train``."""
        self._train_mode = True

    def eval_mode(self) -> None:
        """Says that ops do not train; layers have their own ``eval``."""
        self._train_mode = False


TRACER = Tracer()
