"""The eighteen transforms: six transforms, each over one, two or many axes, with docstrings.

Note [Texts of transforms]
    A transform's docstring is composed of format strings about its numbers (whether inputs or
    outputs are complex or real) and of words about its axes, which fill them in. So each sentence
    is written here once, and ``help(paddle.fft.irfft2)`` shows them in place.
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
    """The kind of numbers that a transform takes and returns.

    Attributes:
        compute: how it is computed.
        says: sentences of its docstrings about them, formats of ``Axes``.
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
    """One of the six transforms, over any axes.

    Attributes:
        stem: the first part of its names.
        numbers: its input and output.
        forward: its direction.
        summary: the first line of its docstrings, a format of ``Axes``.
    """

    stem: str
    numbers: Numbers
    forward: bool
    summary: str


FFT = Transform("fft", COMPLEX, True, "Return the discrete Fourier transform over {where}.")
IFFT = Transform(
    "ifft", COMPLEX, False, "Return the inverse discrete Fourier transform over {where}."
)
RFFT = Transform(
    "rfft",
    TO_HALF,
    True,
    "Return the first half of a real signal's transform, which determines the rest.",
)
IRFFT = Transform(
    "irfft",
    FROM_HALF,
    False,
    "Return the real signal from the first half of its transform; the inverse of ``rfft{suffix}``.",
)
HFFT = Transform(
    "hfft",
    FROM_HALF,
    True,
    "Return the real transform of a Hermitian signal, given one half of the signal.",
)
IHFFT = Transform(
    "ihfft",
    TO_HALF,
    False,
    "Return half of the Hermitian signal whose transform is real; the inverse of ``hfft{suffix}``.",
)


class Axes(NamedTuple):
    """The words of transforms over one, two or many axes.

    Attributes:
        suffix: the last part of their names.
        renames: the further names of their parameters, as ``also_called`` takes them.
        where: the axes they are over.
        points, along: the number of points, and their axes.
        half, half_along: the number of values in half of a signal, and its axis.
        size: the text of the parameter that counts the points.
        size_of_result: its text when the points are those of the result.
        axes: the text of the parameter that chooses the axes.
        about_half: further text about half of a signal.
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
    size=(
        "n: number of points, by default the size of the axis. The signal is cropped to it, or\n"
        "            padded with zeros."
    ),
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
    size="s: number of points for each axis, to which the signal is cropped or zero-padded.",
    size_of_result=(
        "s: number of points of the result for each axis; by default an even one along the last."
    ),
    axes="axes: the axes; by default the last ``len(s)``, or all.",
    about_half="""
    Half of the last axis is enough; over the other axes the transform is complex.
""",
)
TWO = MANY._replace(
    suffix="2", where="two axes", axes="axes: the two axes, the last ones by default."
)


def published(function: Callable, kind: Transform, axes: Axes, call: str, result: str) -> Callable:
    """Return the public function of a transform: with its name, docstring and further names.

    Args:
        function: the implementation.
        kind: one of the six transforms.
        axes: its number of axes.
        call: the call in its example.
        result: the result of that call.
    """
    words = axes._asdict()
    says = {"summary": kind.summary, **kind.numbers.says}
    says = {place: text.format(**words) for place, text in says.items()}
    function.__name__ = function.__qualname__ = kind.stem + axes.suffix
    function.__doc__ = _DOC.format(**{**words, **says}, call=call, result=result)
    return also_called(axes.renames)(function)
