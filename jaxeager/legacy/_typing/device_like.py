"""paddle._typing.device_like: types of devices."""

from typing import TypeAlias

from jaxeager.core.places import Place

__all__ = ["PlaceLike"]

PlaceLike: TypeAlias = Place | str
