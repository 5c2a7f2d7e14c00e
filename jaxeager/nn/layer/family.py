"""Families of layers: one ``__init__`` and one text for 1, 2 and 3 dimensions.

Note [Families]
    Conv1D, Conv2D and Conv3D take the same arguments and say the same of them; what differs is the
    layout that is the default, and words such as "images". So a family has a base class, whose
    ``__init__`` says ``OWN_LAYOUT`` where the default differs, and a text with places for words. A
    member names its ``Space``, and ``member`` gives it an ``__init__`` of its own, with the true
    default in its signature, and its docstring.
"""

from collections.abc import Callable
from types import FunctionType
from typing import NamedTuple, TypeVar

Kind = TypeVar("Kind", bound=type)

OWN_LAYOUT = "the layout of the class's own space"


class Space(NamedTuple):
    """What the members of one number of dimensions have in common.

    Attributes:
        dims: how many spatial dimensions there are.
        layouts: what the layout can be; the first is the default.
        things: what lies in such a space.
        axes: its axes, as shapes in docstrings name them.
        sides: the two ends of each axis, as paddings list them.
    """

    dims: int
    layouts: tuple[str, ...]
    things: str
    axes: str
    sides: str

    def words(self) -> dict[str, str]:
        """Return what a family's text can say of this space."""
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
    """Make a class a member of its base's family: see Note [Families].

    Args:
        text: the family's docstring, a format that can name ``name``, the words of the class's
            space and those of the member.
        words: what the docstring says of this member alone.

    Returns:
        a decorator of classes that have a ``_space``.
    """

    def join(cls):
        space: Space = cls._space
        cls.__doc__ = text.format(**{"name": cls.__name__, **space.words(), **words})
        cls.__init__ = _init_with_layout(cls.__init__, cls.__qualname__, space.layouts[0])
        return cls

    return join


def _init_with_layout(init: FunctionType, owner: str, layout: str) -> FunctionType:
    """Return the ``__init__`` of a class: a base's, with a layout where that has OWN_LAYOUT."""

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
