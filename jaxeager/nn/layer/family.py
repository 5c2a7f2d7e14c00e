"""Families of layers: one ``__init__`` and one docstring for 1, 2 and 3 dimensions.

Note [Families]
    Conv1D, Conv2D and Conv3D have the same arguments and documentation. They differ in the default
    layout and in words such as "images". So a family has a base class, whose ``__init__`` uses
    ``OWN_LAYOUT`` where the default differs, and a docstring with placeholders for words. Each
    member names its ``Space``. ``member`` gives it its docstring and its own ``__init__``, with the
    actual default in the signature.
"""

from collections.abc import Callable
from types import FunctionType
from typing import NamedTuple, TypeVar

Kind = TypeVar("Kind", bound=type)

OWN_LAYOUT = "the layout of the class's own space"


class Space(NamedTuple):
    """Properties shared by the members with one number of dimensions.

    Attributes:
        dims: number of spatial dimensions.
        layouts: the possible layouts; the first is the default.
        things: name of the data with these dimensions.
        axes: its axes, as named by shapes in docstrings.
        sides: the two ends of each axis, in the order of paddings.
    """

    dims: int
    layouts: tuple[str, ...]
    things: str
    axes: str
    sides: str

    def words(self) -> dict[str, str]:
        """Return the words of this space for a family's docstring."""
        return {
            "things": self.things,
            "axes": self.axes,
            "sides": self.sides,
            "layout": f'"{self.layouts[0]}"',
            "layouts": " or ".join(f'"{each}"' for each in self.layouts),
        }


SEQUENCES = Space(1, ("NCL", "NLC"), "sequences", "L", "[left, right]")
IMAGES = Space(2, ("NCHW", "NHWC"), "images", "H, W", "[left, right, top, bottom]")
VOLUMES = Space(
    3, ("NCDHW", "NDHWC"), "volumes", "D, H, W", "[left, right, top, bottom, front, back]"
)


def member(text: str, **words: object) -> Callable[[Kind], Kind]:
    """Make a class a member of its base's family; see Note [Families].

    Args:
        text: the family's docstring, a format string with fields for ``name``, the words of the
            class's space and those of the member.
        words: the words of this member alone.

    Returns:
        A decorator of classes that have a ``_space``.
    """

    def join(cls):
        space: Space = cls._space
        cls.__doc__ = text.format(**{"name": cls.__name__, **space.words(), **words})
        cls.__init__ = _init_with_layout(cls.__init__, cls.__qualname__, space.layouts[0])
        return cls

    return join


def _init_with_layout(init: FunctionType, owner: str, layout: str) -> FunctionType:
    """Return a copy of a base's ``__init__`` with ``OWN_LAYOUT`` replaced by a layout."""

    def own(default):
        return layout if default is OWN_LAYOUT else default

    defaults = tuple(own(each) for each in init.__defaults__ or ())
    made = FunctionType(
        init.__code__, init.__globals__, init.__name__, defaults or None, init.__closure__
    )
    made.__kwdefaults__ = {name: own(each) for name, each in (init.__kwdefaults__ or {}).items()}
    made.__annotations__ = init.__annotations__
    made.__qualname__ = f"{owner}.{init.__name__}"
    return made
