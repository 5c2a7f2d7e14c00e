"""ParamAttr, the settings of a parameter, and the function that creates parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax

from jaxeager.core import dtypes, places
from jaxeager.errors import InvalidTypeError
from jaxeager.nn.initializer import Constant, XavierUniform
from jaxeager.nn.initializer.initializer import Initializer, global_initializer, initial_array
from jaxeager.ops.call.creation_events import notify_made
from jaxeager.tensor import Parameter
from jaxeager.utils import unique_name

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, ParamAttrLike, ShapeLike
    from jaxeager.regularizer import WeightDecayRegularizer


class ParamAttr:
    """The name, first value, learning rate and other settings of one parameter.

    Layers accept one as ``weight_attr`` or ``bias_attr``. There, a string is short for
    ``ParamAttr(name=...)``, an initializer for ``ParamAttr(initializer=...)``, None means the
    defaults, and False means "no such parameter".

    Args:
        name: the parameter's name; a new one (``linear_0.w_0``) if None.
        initializer: its initializer; the layer's default if None.
        learning_rate: a factor on the optimizer's learning rate.
        regularizer: weight decay of this parameter, instead of the optimizer's.
        trainable: False excludes it from training (``stop_gradient`` is True).
        do_model_average: whether averaging optimizers include it.
        need_clip: whether gradient clipping applies to it.

    Example:
        >>> import jaxeager as paddle
        >>> constant = paddle.nn.initializer.Constant(2.0)
        >>> attr = paddle.ParamAttr(initializer=constant, trainable=False)
        >>> weight = paddle.nn.Linear(1, 2, weight_attr=attr).weight
        >>> weight.tolist(), weight.stop_gradient
        ([[2.0, 2.0]], True)
    """

    def __init__(
        self,
        name: str | None = None,
        initializer: Initializer | None = None,
        learning_rate: float = 1.0,
        regularizer: WeightDecayRegularizer | None = None,
        trainable: bool = True,
        do_model_average: bool = True,
        need_clip: bool = True,
    ):
        self.name = name
        self.initializer = initializer
        self.learning_rate = learning_rate
        self.regularizer = regularizer
        self.trainable = trainable
        self.do_model_average = do_model_average
        self.need_clip = need_clip

    def __repr__(self) -> str:
        fields = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"ParamAttr({fields})"

    @staticmethod
    def _to_attr(arg):
        """Return the ParamAttr, False, or list of ParamAttr that a layer's argument denotes."""
        if arg is None or arg is True:
            return ParamAttr()
        if arg is False or isinstance(arg, ParamAttr):
            return arg
        if isinstance(arg, str):
            return ParamAttr(name=arg)
        if isinstance(arg, (list, tuple)):
            return [ParamAttr._to_attr(item) for item in arg]
        if isinstance(arg, Initializer):
            return ParamAttr(initializer=arg)
        from jaxeager.regularizer import WeightDecayRegularizer

        if isinstance(arg, WeightDecayRegularizer):
            return ParamAttr(regularizer=arg)
        raise InvalidTypeError(
            "A parameter attribute must be a ParamAttr, a name, an initializer, a regularizer, "
            f"True, False or None, but received {arg!r} of type {type(arg).__name__}."
        )


def single_attr(attr):
    """Return the result of ``ParamAttr._to_attr``; raise InvalidTypeError for a list."""
    attr = ParamAttr._to_attr(attr)
    if isinstance(attr, list):
        raise InvalidTypeError(
            f"One parameter takes one attribute, but received a list of {len(attr)}."
        )
    return attr


def choose_initializer(attr: ParamAttr, dtype, is_bias: bool, default: Initializer | None):
    """Return the first initializer set of: the attribute's, global, the layer's, Paddle's default.

    Raises:
        InvalidTypeError: if none is set and the dtype is not floating.
    """
    if attr.initializer is not None:
        return attr.initializer
    chosen = global_initializer(is_bias)
    if chosen is None:
        chosen = default
    if chosen is not None:
        return chosen
    if not dtypes.is_floating(dtype):
        raise InvalidTypeError(
            f"A parameter of dtype {dtype.name} has no default initializer: only floating dtypes "
            "do. Pass default_initializer, for example nn.initializer.Constant(0)."
        )
    return Constant(0.0) if is_bias else XavierUniform()


def build_parameter(
    shape, attr: ParamAttr, dtype, is_bias: bool, default_initializer, stem: str, device=None
) -> Parameter:
    """Return a new, initialized Parameter.

    Its name is the attribute's, or derived from ``stem`` (``linear_0`` becomes ``linear_0.w_0``).
    Its initializer is the one that ``choose_initializer`` returns.
    """
    dtype = dtypes.to_numpy(dtypes.get_default_dtype() if dtype is None else dtype)
    chosen = choose_initializer(attr, dtype, is_bias, default_initializer)
    name = attr.name
    if name is None:
        name = unique_name.generate(f"{stem}.{'b' if is_bias else 'w'}")
    by_call = _fills_by_call(chosen)
    array = initial_array(Constant() if by_call else chosen, shape, dtype)
    if device is not None:
        array = jax.device_put(array, places.as_place(device).device())
    unique_name.check_parameter_name(name)
    parameter = Parameter(array, trainable=attr.trainable, name=name)
    parameter.optimize_attr = {"learning_rate": attr.learning_rate}
    parameter.regularizer = attr.regularizer
    parameter.do_model_average = attr.do_model_average
    parameter.need_clip = attr.need_clip
    if by_call:
        chosen(parameter, None)
    elif getattr(chosen, "_op_name", ""):
        notify_made(chosen._op_name, parameter)
    return parameter


def _fills_by_call(initializer) -> bool:
    """Return whether an initializer has Paddle's form, which writes into a tensor."""
    if not isinstance(initializer, Initializer):
        return callable(initializer)
    kind = type(initializer)
    writes = kind.forward is not Initializer.forward or kind.__call__ is not Initializer.__call__
    return writes or kind.compute is Initializer.compute


def create_parameter(
    shape: ShapeLike,
    dtype: DTypeLike,
    name: str | None = None,
    attr: ParamAttrLike | None = None,
    is_bias: bool = False,
    default_initializer: Initializer | None = None,
) -> Parameter | None:
    """Return a new Parameter, or None if ``attr`` is False.

    Args:
        shape: its shape.
        dtype: its dtype.
        name: its name, unless ``attr`` has one; ``create_parameter_0.w_0`` if both are None.
        attr: a ParamAttr, or anything a layer's ``weight_attr`` accepts.
        is_bias: whether its default is zero instead of Xavier's uniform values.
        default_initializer: its initializer if ``attr`` has none.

    Raises:
        InvalidTypeError: if ``attr`` is invalid, or no initializer fits the dtype.
        InvalidArgumentError: if a parameter of that name exists already.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.create_parameter([2, 3], "float32", is_bias=True).tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    attr = single_attr(attr)
    if attr is False:
        return None
    if name is not None and attr.name is None:
        attr = ParamAttr(**{**vars(attr), "name": name})
    stem = unique_name.generate("create_parameter") if attr.name is None else ""
    return build_parameter(shape, attr, dtype, is_bias, default_initializer, stem)
