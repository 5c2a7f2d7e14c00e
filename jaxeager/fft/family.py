"""What the eighteen transforms are and say: six transforms, each over one, two or many axes.

Note [Texts of transforms]
    A transform's docstring is put together of what its numbers say (complex or real ones go in, or
    come out), which are formats, and of what its axes say, which fills them in. So each sentence
    stands here once, and ``help(paddle.fft.irfft2)`` shows them in their places.
"""

from collections.abc import Callable
from typing import NamedTuple

from jaxeager.fft import transform
from jaxeager.ops.call.keywords import also_called

_DOC = """{summary}
{about}
    Args:
        x: {x}
        {size}
        {axes}
        norm: "backward" divides the inverse by the number of points, "forward" the forward
            transform, "ortho" both by its root.
        name: accepted for compatibility.
        out: tensor that the result is written into as well.

    Returns:
        {returns}

    Raises:
        InvalidArgumentError: {refuses}

    Example:
        >>> import jaxeager as paddle
        >>> paddle.fft.{call}
        {result}
    """


class Numbers(NamedTuple):
    """Which numbers a transform takes and gives.

    Attributes:
        compute: how it is computed.
        says: what its docstrings say of them, formats of ``Axes``.
    """

    compute: Callable
    says: dict[str, str]


COMPLEX = Numbers(
    transform.complex_to_complex,
    {
        "x": "real or complex tensor; integers become the default floating dtype.",
        "size": "{size}",
        "returns": "Complex tensor with {points} along {along}.",
        "refuses": "for sizes, axes or a norm that do not fit, and half precision.",
        "about": "",
    },
)
TO_HALF = Numbers(
    transform.real_to_complex,
    {
        "x": "real tensor; integers become the default floating dtype.",
        "size": "{size}",
        "returns": "Complex tensor with {half} frequencies along {half_along}.",
        "refuses": """for sizes, axes or a norm that do not fit, complex input and half
            precision.""",
        "about": "{about_half}",
    },
)
FROM_HALF = Numbers(
    transform.complex_to_real,
    {
        "x": "the first half, {half} numbers along {half_along}; complex or real.",
        "size": "{size_of_result}",
        "returns": "Real tensor with {points} along {along}.",
        "refuses": "for sizes, axes or a norm that do not fit, and half precision.",
        "about": "{about_half}",
    },
)


class Transform(NamedTuple):
    """One of the six transforms, over whatever axes.

    Attributes:
        stem: how its names begin.
        numbers: what goes in and comes out.
        forward: its direction.
        summary: the first line of its docstrings, a format of ``Axes``.
    """

    stem: str
    numbers: Numbers
    forward: bool
    summary: str


FFT = Transform("fft", COMPLEX, True, "Returns the discrete Fourier transform over {where}.")
IFFT = Transform(
    "ifft", COMPLEX, False, "Returns the inverse discrete Fourier transform over {where}."
)
RFFT = Transform(
    "rfft",
    TO_HALF,
    True,
    "Returns the half of a real signal's transform that the rest follows from.",
)
IRFFT = Transform(
    "irfft",
    FROM_HALF,
    False,
    "Returns the real signal whose transform has the given first half; undoes ``rfft{suffix}``.",
)
HFFT = Transform(
    "hfft",
    FROM_HALF,
    True,
    "Returns the real transform of a Hermitian signal, of which one half is given.",
)
IHFFT = Transform(
    "ihfft",
    TO_HALF,
    False,
    "Returns one half of the Hermitian signal whose transform is real; undoes ``hfft{suffix}``.",
)


class Axes(NamedTuple):
    """How transforms over one, two or many axes speak of them.

    Attributes:
        suffix: how their names end.
        renames: the further names of their parameters, as ``also_called`` takes them.
        where: over which axes they are.
        points, along: how many points there are, and along which axes.
        half, half_along: how many numbers are half of a signal, and along which axis.
        size: what the parameter says that counts the points, and
        size_of_result: what it says when the result has them.
        axes: what the parameter says that chooses the axes.
        about_half: what more there is to say of half a signal.
    """

    suffix: str
    renames: str
    where: str
    points: str
    along: str
    half: str
    half_along: str
    size: str
    size_of_result: str
    axes: str
    about_half: str


ONE = Axes(
    suffix="",
    renames="input=x dim=axis",
    where="one axis",
    points="``n`` points",
    along="the axis",
    half="``n // 2 + 1``",
    half_along="the axis",
    size="n: number of points: the signal is cropped to it, or padded with zeros. The axis' size.",
    size_of_result=(
        "n: number of points of the result; an even one, ``2 * (size - 1)``, by default."
    ),
    axes="axis: the axis, the last one by default.",
    about_half="",
)
MANY = Axes(
    suffix="n",
    renames="input=x dim=axes",
    where="several axes",
    points="``s`` points",
    along="the axes",
    half="``s[-1] // 2 + 1``",
    half_along="the last axis",
    size="s: numbers of points, one an axis: the signal is cropped to them, or padded with zeros.",
    size_of_result=(
        "s: numbers of points of the result, one an axis; an even one along the last by default."
    ),
    axes="axes: the axes; by default the last ``len(s)``, or all.",
    about_half="""
    The last of the axes is the one of which half is enough; over the others the transform
    is complex.
""",
)
TWO = MANY._replace(
    suffix="2", where="two axes", axes="axes: the two axes, the last ones by default."
)


def published(function: Callable, kind: Transform, axes: Axes, call: str, result: str) -> Callable:
    """Return a transform as users see it: with its name, docstring and further names.

    Args:
        function: what computes it.
        kind: which of the six it is.
        axes: over how many axes.
        call: the call that its example shows, and
        result: what that gives.
    """
    words = axes._asdict()
    says = {"summary": kind.summary, **kind.numbers.says}
    says = {place: text.format(**words) for place, text in says.items()}
    function.__name__ = function.__qualname__ = kind.stem + axes.suffix
    function.__doc__ = _DOC.format(**{**words, **says}, call=call, result=result)
    return also_called(axes.renames)(function)
