"""Further names of parameters that Paddle accepts: ``input=``, ``other=``, ``dim=``, ``out=``.

Note [Keyword aliases]
    Paddle 3.3.1 allows calls of many functions with the parameter names of other libraries. The
    table lists them; tools/record_paddle_aliases.py reads them off Paddle, and tests compare. The
    line ``"input=x dim=axis out"`` means that ``input=`` is another name of ``x``, ``dim=`` of
    ``axis``, and that ``out=`` takes a tensor that becomes the result (``positional-out`` is an
    ``out`` before ``name``; an in-place function accepts only None for it). ``inplace`` is an
    argument of that name, where Paddle has it instead of a function ``name_``. ``mode:min`` is a
    default that applies when a further name is used. ``dtype/keepdim`` means that a bool passed for
    the first belongs to the second, and then the two are swapped. ``F.name`` is a function of
    nn.functional alone. ``op`` and ``composite`` look up their public name, the first of several:
    no other registration is needed.

    The generated code of a bound function takes unknown names as ``**aliases``. So a positional
    call pays for an empty dict, about 0.015 us, and a call with an alias starts over, with the
    parameters' own names, in ``call_by_keyword``. Operators have separate code, without this.
    Layers have a separate table (nn/layer/further_names.py), and a few functions of other modules a
    decorator; both cost a call 0.15 us.

    A parameter that is given under two names is an error that is a TypeError and a ValueError:
    Paddle raises one or the other, depending on the function, or drops one of the two values. The
    generated code does not notice it if the value under the own name is the default.
"""

# Fields of Tensors have an underscore in front: they belong to the package, not to its users.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from jaxeager.core import ports
from jaxeager.core.further_names import renamed, renames_in
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.traced_writes import note_write
from jaxeager.graph.views.stale import wants
from jaxeager.ops.call.bad_arguments import BARE_ERRORS
from jaxeager.ops.call.bad_operands import name_culprit
from jaxeager.ops.row import ROWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from jaxeager.ops.call.types import Function, Items, Named, Results
    from jaxeager.tensor.tensor import Tensor

REQUIRED = inspect.Parameter.empty

_TABLE = {
    "out": "complex meshgrid msort polar true_divide",
    "positional-out": """
        bitwise_and bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_right_shift
        bitwise_right_shift_ bitwise_xor""",
    "input=x": """
        empty_like full_like is_complex is_floating_point ones_like randn_like zeros_like
        reshape trace adaptive_avg_pool1d conv1d conv2d conv3d F.adaptive_avg_pool2d
        F.adaptive_avg_pool3d F.dropout F.embedding F.grid_sample F.interpolate
        F.log_sigmoid F.lp_pool1d F.lp_pool2d F.one_hot F.pad F.softplus""",
    "input=x return_indices=return_mask": """
        F.adaptive_max_pool1d F.adaptive_max_pool2d F.adaptive_max_pool3d""",
    "input=x axis0=dim0 axis1=dim1": "transpose",
    "input=x inplace": "F.silu",
    "input=x out": """
        abs acos acosh asin atanh ceil clip cos cosh cumprod exp expm1 floor frac isfinite isinf
        isnan log log10 log1p log2 logical_not masked_select multinomial nonzero round rsqrt
        sigmoid sign sin sinh sqrt tanh tril triu F.gelu""",
    "input=x other=y": "add_ bitwise_or_ divide_ gcd gcd_ lcm lcm_ multiply_ subtract_",
    "input=x other=y out": """
        add divide equal floor_divide greater_equal greater_than isclose less_equal less_than
        logical_and logical_or logical_xor matmul maximum minimum multiply not_equal remainder
        expand_as subtract where""",
    "input=x other=y positional-out": "bitwise_or",
    "input=x dim=axis": """
        argsort chunk prod repeat_interleave squeeze unique_consecutive unsqueeze F.glu""",
    "input=x dim=axis out": """
        all amax amin any cumsum diff index_select logsumexp mean quantile topk var
        F.softmax""",
    "input=x dim=axis dtype/keepdim out": "sum",
    "input=x dim=axis mode:min": "median",
    "input=x dim=axis keepdims=keepdim out": "argmax argmin",
    "input=x exponent=y out": "pow",
    "input=x mat2=y out": "bmm",
    "input=x tensor=y out": "dot",
    "input=x vec2=y out": "outer",
    "input=x boundaries=sorted_sequence out": "bucketize",
    "input=values out": "searchsorted",
    "input=x lambd=threshold": "F.hardshrink F.softshrink",
    "dim=axis": "cross unbind F.cosine_similarity",
    "dimension=axis": "unfold",
    "elements=x test_elements=test_x": "isin",
    "end=stop steps=num": "linspace",
    "lambd=lam": "exponential_",
    "m=num_columns n=num_rows": "eye",
    "obj=x": "is_tensor",
    "size=shape": "empty full normal ones rand standard_normal zeros",
    "size=shape_or_dtype dtype=shape_or_dtype": "view",
    "input=x start_dim=start_axis end_dim=stop_axis": "flatten",
    "input=x dims=axis out": "roll",
    "input=x dim=axis sizes=shape": "unflatten",
    "tensors=x dim=axis out": "concat stack",
    (
        "input=x dim=axis indices=num_or_indices sections=num_or_indices "
        "indices_or_sections=num_or_indices"
    ): "tensor_split",
    "input=x dims=repeat_times": "tile",
    "input=x size=shape": "expand broadcast_to",
    "input=x dim=axis source=value out": "index_add",
    "input=x dim=axis source=value": "index_add_",
    "input=x values=value out": "index_put",
    "input=arr dim=axis out": "take_along_axis",
    "input=x dim1=axis1 dim2=axis2 out": "diagonal",
    "from=min to=max": "uniform_",
    "target=label": "F.cross_entropy",
    "input=x eps=epsilon": "group_norm layer_norm",
    (
        "input=x output_size=output_sizes kernel_size=kernel_sizes stride=strides "
        "padding=paddings dilation=dilations"
    ): "F.fold",
    "input=x dim=axis eps=epsilon": "F.normalize",
    "x1=x x2=y eps=epsilon": "F.pairwise_distance",
}


class Keywords:
    """The arguments that a function accepts besides its own parameters.

    Attributes:
        renames: the parameter that each further name means.
        defaults: other defaults where one of them is given.
        out: None, "out" (by keyword alone) or "positional-out" (before ``name``).
        inplace: whether there is an argument ``inplace``.
        swap: None, or two parameters that are swapped when the first is a bool.
    """

    __slots__ = ("defaults", "inplace", "out", "renames", "swap")

    def __init__(self, spec: str):
        words = spec.split()
        self.renames = renames_in(spec)
        self.defaults = dict(word.split(":") for word in words if ":" in word)
        self.out = next((word for word in words if word.endswith("out")), None)
        self.inplace = "inplace" in words
        self.swap = next((tuple(word.split("/")) for word in words if "/" in word), None)


KEYWORDS = {name: Keywords(spec) for spec, names in _TABLE.items() for name in names.split()}


def keywords_of(name: str, public: str | None) -> Keywords | None:
    """Return the table's entry for a public name, None if there is none.

    Args:
        name: the public name.
        public: where it is published, as in ``op``.
    """
    if public is None:
        return None
    return KEYWORDS.get(f"F.{name}" if public == "functional" else name)


def signature_with_out(signature: inspect.Signature, keywords: Keywords) -> inspect.Signature:
    """Return a signature with the ``out`` and ``inplace`` that the function also accepts."""
    parameters = list(signature.parameters.values())
    kinds = inspect.Parameter
    if keywords.inplace:
        parameters.insert(-1, kinds("inplace", kinds.POSITIONAL_OR_KEYWORD, default=False))
    if keywords.out is not None and "out" not in signature.parameters:
        is_positional = keywords.out == "positional-out"
        kind = kinds.POSITIONAL_OR_KEYWORD if is_positional else kinds.KEYWORD_ONLY
        place = len(parameters) - 1 if is_positional else len(parameters)
        parameters.insert(place, kinds("out", kind, default=None))
    return signature.replace(parameters=parameters)


def take_keywords(function: Function, keywords: Keywords, name: str = "") -> Function:
    """Return a function that accepts the further names as well; ``composite`` publishes it.

    Args:
        function: a public function with ordinary parameters.
        keywords: the arguments that it accepts besides them.
        name: its public name when it is not its own.
    """
    ours = frozenset([*keywords.renames, "out"] if keywords.out else keywords.renames)

    @functools.wraps(function)
    def call(*arguments: Any, **given: Any) -> Any:
        try:
            if not given:
                return function(*arguments)
            if ours.isdisjoint(given):
                return function(*arguments, **given)
            out = given.pop("out", None) if keywords.out else None
            given = _with_own_names(function, keywords, {}, given)
            if out is None:
                return function(*arguments, **given)
            return compute_into(out, lambda: function(*arguments, **given))
        except BARE_ERRORS as error:
            name_culprit(function, arguments, given, error, name)
            raise

    call.further_names = keywords.renames  # type: ignore[attr-defined]
    call.__signature__ = signature_with_out(  # type: ignore[attr-defined]
        inspect.signature(function), keywords
    )
    return call


def also_called(spec: str) -> Callable[[Function], Function]:
    """Make a function of another module of Paddle accept further names: a decorator.

    Args:
        spec: a line of the table above, for example ``"A=x B=y out"``.
    """
    return functools.partial(take_keywords, keywords=Keywords(spec))


def call_by_keyword(
    function: Any,
    keywords: Keywords,
    declared: Named,
    values: Items,
    given: Named,
) -> Any:
    """Call a bound function whose generated code got unknown names, or too few arguments.

    Args:
        function: the bound function.
        keywords: the further names.
        declared: its own parameters with their defaults, ``REQUIRED`` if there is none.
        values: their arguments; None for a required one that is missing.
        given: the further names and their arguments.

    Raises:
        TypeError: for an unknown name, a parameter that is given twice, or one that is missing.
        InvalidArgumentError: for an ``out`` of a function that writes in place.
    """
    out = given.pop("out", None) if keywords.out else None
    if out is not None and function is function.row.inplace_function:
        raise InvalidArgumentError(
            f"{function.__name__} writes into its first operand, so it takes no out: call "
            f"{function.__name__[:-1]}(..., out=out), or omit out."
        )
    if given.pop("inplace", False):
        function = function.row.inplace_function
    if keywords.swap is not None:
        values = _swapped(function, keywords.swap, declared, values)
    for alias in given:
        if alias not in keywords.renames:
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {alias!r}")
    pairs = [(name, value, declared[name]) for name, value in zip(declared, values, strict=True)]
    arguments = {
        name: value
        for name, value, default in pairs
        if value is not (None if default is REQUIRED else default)
    }
    arguments = _with_own_names(function, keywords, arguments, given)
    for name, default in declared.items():
        if default is REQUIRED and name not in arguments:
            raise TypeError(f"{function.__name__}() missing 1 required argument: {name!r}")
    if out is None:
        return function(**arguments)
    return compute_into(out, lambda: function(**arguments))


def _swapped(
    function: Function,
    swap: tuple[str, ...],
    declared: Named,
    values: Items,
) -> Items:
    """Pass a bool for the first parameter to the second: ``sum(x, 0, True)`` keeps dimensions."""
    first, second = swap
    found = dict(zip(declared, values, strict=True))
    if type(found[first]) is bool:
        other = found[second]
        if type(other) is bool and other is not declared[second]:
            raise TypeError(f"{function.__name__}() got two bools, and takes one: {second!r}")
        found[second] = found[first]
        found[first] = declared[first] if other is declared[second] else other
    return tuple(found.values())


def _with_own_names(
    function: Any,
    keywords: Keywords,
    arguments: Named,
    given: Named,
) -> Named:
    """Return all arguments under the parameters' own names, and the defaults of further names."""
    arguments = renamed(function, keywords.renames, arguments, given)
    if keywords.defaults and not keywords.renames.keys().isdisjoint(given):
        arguments = keywords.defaults | arguments
    return arguments


def compute_into(out: Results, compute: Callable[[], Results]) -> Any:
    """Make ``out`` the result of ``compute``, with its value, dtype, shape and history.

    This is a write: backward through an older use of ``out`` that saved its value raises. A tensor
    that shares its memory (a view, or one that has views) is written in place, and keeps its shape.

    Args:
        out: a tensor, or a tuple of them for several results.
        compute: the function that returns the results.

    Returns:
        ``out``.

    Raises:
        InvalidTypeError: when ``out`` holds anything but tensors.
        InvalidArgumentError: when ``out`` shares its memory and the result does not fit into it, or
            when it does not hold one tensor per result.
    """
    targets = list(out) if isinstance(out, (tuple, list)) else [out]
    for target in targets:
        if not hasattr(target, "_storage"):
            raise InvalidTypeError(
                f"out must be a Tensor, or a tuple of Tensors, but got {type(target).__name__}."
            )
    storages = [target._storage for target in targets]
    for storage in storages:
        storage.version += 1  # before the op saves it: out may be an operand as well
    try:
        result = compute()
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        _check_fit(targets, results)
    except BaseException:
        for storage in storages:
            storage.version -= 1
        raise
    for target, each in zip(targets, results, strict=True):
        _become(target, each)
    return out


def _check_fit(targets: list[Tensor], results: list[Tensor]) -> None:
    if len(targets) != len(results):
        raise InvalidArgumentError(
            f"out must hold {len(results)} tensors, one for each result, but holds {len(targets)}."
        )
    for target, result in zip(targets, results, strict=True):
        old, new = target._array, result._array
        if target._storage.sharers is not None and (old.shape, old.dtype) != (new.shape, new.dtype):
            raise InvalidArgumentError(
                "out shares its memory with other tensors, so it only takes a result of the same "
                f"shape and dtype: it is {old.dtype.name}{list(old.shape)}, the result is "
                f"{new.dtype.name}{list(new.shape)}. Pass a tensor that "
                "is not a view and has no views."
            )


def _become(target: Tensor, result: Tensor) -> None:
    """Give a tensor the value and history of another one, which has no other owner."""
    if target._storage.sharers is not None:
        ROWS["assign_out"].inplace_function(target, result)
        return
    if result._storage.sharers is not None:  # a view: its memory stays its base's
        result = ROWS["assign"].function(result)
    meta = result._meta
    if meta is None and grad_mode.enabled and wants(target._meta) and not target._meta.is_leaf():
        meta = ports.overwritten(target, result._array)
    if grad_mode.written is not None:
        note_write(target)
    target._array, target._storage = result._array, result._storage
    if meta is not None:
        target._meta = meta
