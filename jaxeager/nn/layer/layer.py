"""Layer: a callable object that owns parameters, buffers and other layers."""

from __future__ import annotations

import copy
import re
from collections import OrderedDict
from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any, Literal, overload

from jaxeager.core import dtypes, ports
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    OutOfRangeError,
    RefusedTypeError,
    UnimplementedError,
)
from jaxeager.graph import events
from jaxeager.graph.mode import read_capture
from jaxeager.nn.layer import changes
from jaxeager.nn.layer.blame import name_layer
from jaxeager.nn.layer.conversion import LayerConversion
from jaxeager.nn.layer.helper import LayerObjectHelper
from jaxeager.nn.layer.hooks import (
    ForwardHook,
    HookRemoveHelper,
    add_hook,
    call_in_sight,
    call_with_hooks,
)
from jaxeager.nn.layer.registration import check_registration, is_plain_tensor
from jaxeager.nn.layer.state import LayerState
from jaxeager.nn.param_attr import build_parameter, single_attr
from jaxeager.ops.call.bad_operands import refuse_input
from jaxeager.tensor import Parameter, Tensor, to_tensor
from jaxeager.utils import unique_name

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, ParamAttrLike, PlaceLike, ShapeLike
    from jaxeager.nn.initializer.initializer import Initializer
    from jaxeager.nn.layer.typed_call import HasForward, P, R


def snake_case(name: str) -> str:
    """Return the name stem of a layer class: ``BatchNorm2D`` becomes ``batch_norm2d``."""
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()


class Layer(LayerConversion, LayerState):
    """Base class of all networks and layers.

    A subclass creates its parameters and sublayers in ``__init__`` (after ``super().__init__()``)
    by assigning them to attributes, and computes in ``forward``. Calling the layer runs
    ``forward`` and its hooks (the overhead is about 0.3 us without hooks).

    Args:
        name_scope: stem of the layer's name; the class name in snake_case if None.
        dtype: the layer's nominal dtype.

    Example:
        >>> import jaxeager as paddle
        >>> class Twice(paddle.nn.Layer):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.linear = paddle.nn.Linear(2, 2)
        ...
        ...     def forward(self, x):
        ...         return self.linear(self.linear(x))
        >>> net = Twice()
        >>> [name for name, _ in net.named_parameters()]
        ['linear.weight', 'linear.bias']
    """

    _cast_to_low_precision = True  # False excludes the layer's tensors from casts by amp.decorate

    def __init__(self, name_scope: str | None = None, dtype: DTypeLike = "float32"):
        if not (name_scope is None or isinstance(name_scope, str)):
            raise InvalidTypeError(
                f"name_scope of a Layer must be a str or None, but received {name_scope!r}."
            )
        self.training = True
        self._full_name = unique_name.generate(name_scope or snake_case(type(self).__name__))
        self._dtype = dtypes.to_numpy(dtype).name
        self._built = False
        self._parameters = OrderedDict()
        self._buffers = OrderedDict()
        self._non_persistable_buffer_names_set = set()
        self._sub_layers = OrderedDict()
        self._forward_pre_hooks: OrderedDict[int, ForwardHook] = OrderedDict()
        self._forward_post_hooks: OrderedDict[int, ForwardHook] = OrderedDict()
        self._state_dict_hooks = OrderedDict()

    # ---- calling

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Compute the layer's output; every subclass overrides it."""
        raise UnimplementedError(
            f"{type(self).__name__} does not define forward(), which calling a layer runs."
        )

    if TYPE_CHECKING:  # a call has the parameters and the result of the subclass's forward

        def __call__(self: HasForward[P, R], *inputs: P.args, **kwargs: P.kwargs) -> R: ...

    else:

        def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
            if not self._built:
                self._build_once(*inputs, **kwargs)
                self._built = True
            capture = read_capture()
            if capture is not None:
                capture.enter(self)
            try:
                if events.nn_layer_began is not None:
                    return call_in_sight(self, inputs, kwargs)
                if self._forward_pre_hooks or self._forward_post_hooks:
                    return call_with_hooks(self, inputs, kwargs)
                if capture is not None:
                    return capture.forward_of(self)(*inputs, **kwargs)
                return self.forward(*inputs, **kwargs)
            except AttributeError as error:
                refuse_input(self, inputs, kwargs, error)
                raise
            except (InvalidArgumentError, InvalidTypeError, OutOfRangeError) as error:
                name_layer(self, inputs, error)
                raise

    def _build_once(self, *args, **kwargs) -> None:
        """Run before the first call, for layers that need an input to build; do nothing here."""

    def backward(self, *inputs: object) -> Any:
        """Raise: a layer's gradient is that of the ops recorded by its forward."""
        raise InvalidArgumentError(
            "Layer shouldn't implement backward. Use autograd.PyLayer for a custom gradient."
        )

    def register_forward_pre_hook(
        self, hook: Callable[..., object], *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookRemoveHelper:
        """Call ``hook(layer, inputs)`` before forward; its result replaces the inputs.

        Args:
            hook: a function; it returns None, the new input, or a tuple of the new inputs.
            prepend: call it before the existing hooks.
            with_kwargs: call ``hook(layer, inputs, kwargs)``, which returns None or
                (new_inputs, new_kwargs).

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.ReLU()
            >>> handle = layer.register_forward_pre_hook(lambda layer, inputs: (inputs[0] + 1,))
            >>> layer(paddle.to_tensor([1.0])).item()
            2.0
        """
        return add_hook(self._forward_pre_hooks, ForwardHook(hook, with_kwargs), prepend)

    def register_forward_post_hook(
        self,
        hook: Callable[..., object],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookRemoveHelper:
        """Call ``hook(layer, inputs, output)`` after forward; a result replaces the output.

        Args:
            hook: a function; None as its result keeps the output.
            prepend: call it before the existing hooks.
            with_kwargs: call ``hook(layer, inputs, kwargs, output)``.
            always_call: call it with output None even if forward raised.

        Returns:
            A handle whose ``remove()`` unregisters the hook.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.ReLU()
            >>> handle = layer.register_forward_post_hook(lambda layer, inputs, out: out * 2)
            >>> layer(paddle.to_tensor([1.0])).item()
            2.0
        """
        entry = ForwardHook(hook, with_kwargs, always_call)
        return add_hook(self._forward_post_hooks, entry, prepend)

    register_forward_hook = register_forward_post_hook

    # ---- parameters, buffers, sublayers

    @overload
    def create_parameter(
        self, shape: ShapeLike, attr: Literal[False], *args: Any, **kwargs: Any
    ) -> None: ...

    @overload  # a variable attr is taken not to be False, so that layers need no check for None
    def create_parameter(
        self, shape: ShapeLike, attr: ParamAttrLike | None = None, dtype: DTypeLike | None = None,
        is_bias: bool = False, default_initializer: Initializer | None = None,
        device: PlaceLike | None = None,
    ) -> Parameter: ...  # fmt: skip

    def create_parameter(
        self, shape: ShapeLike, attr: ParamAttrLike | None = None, dtype: DTypeLike | None = None,
        is_bias: bool = False, default_initializer: Initializer | None = None,
        device: PlaceLike | None = None,
    ) -> Parameter | None:  # fmt: skip
        """Return a new Parameter named after this layer, or None if ``attr`` is False.

        Args:
            shape: its shape.
            attr: a ParamAttr, a name, an initializer, None for the defaults or False for none.
            dtype: its dtype; the default dtype if None.
            is_bias: whether its default is zero (``.b_``) instead of Xavier's uniform values.
            default_initializer: its initializer if ``attr`` has none.
            device: its device; the current device if None.

        Raises:
            InvalidTypeError: if ``attr`` is invalid, or no initializer fits the dtype.
            InvalidArgumentError: if a parameter of that name exists already.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Layer().create_parameter([2], is_bias=True).tolist()
            [0.0, 0.0]
        """
        attr = single_attr(attr)
        if attr is False:
            return None
        return build_parameter(
            shape, attr, dtype, is_bias, default_initializer, self._full_name, device
        )

    def create_variable(
        self,
        name: str | None = None,
        persistable: bool | None = None,
        dtype: DTypeLike | None = None,
    ) -> Tensor:
        """Return an empty tensor, of shape [0], that can be assigned a later result.

        Args:
            name: its name, after the full name of the layer and a dot.
            persistable: whether it is kept for the whole run.
            dtype: its dtype; the layer's if None.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.Layer().create_variable("state").shape
            paddle.Size([0])
        """
        tensor = to_tensor([], dtype=self._dtype if dtype is None else dtype)
        prefix = f"{self._full_name}.{name or '_generated_var'}"
        tensor.name = prefix if name else unique_name.generate(prefix)
        tensor.persistable = bool(persistable)
        return tensor

    create_tensor = create_variable

    def add_parameter(self, name: str, parameter: Parameter | None) -> Parameter | None:
        """Register a parameter under a name, replacing any existing one, and return it.

        Raises:
            InvalidTypeError: if the name is not a str or the value not a Parameter.
            KeyError: if the name is empty, contains a dot, or is that of another attribute.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.Layer()
            >>> scale = layer.add_parameter("scale", layer.create_parameter([2]))
            >>> layer.scale is scale
            True
        """
        check_registration(self, "parameter", name, self._parameters)
        if not (parameter is None or isinstance(parameter, Parameter)):
            raise InvalidTypeError(
                "The parameter to be added should be a Parameter, but received "
                f"{type(parameter).__name__}."
            )
        self._parameters[name] = parameter
        return parameter

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register a parameter under a name, as ``add_parameter`` does."""
        self.add_parameter(name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistable: bool = True) -> None:
        """Register a tensor that is part of the layer but not trained.

        Args:
            name: name of the attribute.
            tensor: the tensor, or None.
            persistable: whether to include it in state_dict.

        Raises:
            InvalidTypeError: if the name is not a str or the value not a plain Tensor.
            KeyError: if the name is empty, contains a dot, or is taken.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.Layer()
            >>> layer.register_buffer("steps", paddle.zeros([1]))
            >>> list(layer.state_dict())
            ['steps']
        """
        check_registration(self, "buffer", name, self._buffers)
        if not (tensor is None or is_plain_tensor(tensor)):
            raise InvalidTypeError(
                "The registered buffer should be a Paddle.Tensor, but received "
                f"{type(tensor).__name__}."
            )
        self._buffers[name] = tensor
        if persistable:
            self._non_persistable_buffer_names_set.discard(name)
        else:
            self._non_persistable_buffer_names_set.add(name)

    @property
    def _helper(self) -> LayerObjectHelper:
        """Return the helper of older programs that creates parameters and activations."""
        return LayerObjectHelper(self)

    def _get_name(self) -> str:
        """Return the name of the class, for ``repr``."""
        return type(self).__name__

    def add_sublayer(self, name: str, sublayer: Layer | None) -> Layer | None:
        """Register a layer as a part of this one and return it.

        Raises:
            RefusedTypeError: if it is neither a Layer nor None.

        Example:
            >>> import jaxeager as paddle
            >>> layer = paddle.nn.Layer()
            >>> layer.add_sublayer("act", paddle.nn.ReLU())
            ReLU()
        """
        if not (sublayer is None or isinstance(sublayer, Layer)):
            raise RefusedTypeError(
                f"A sublayer must be a Layer or None, but received {type(sublayer).__name__}."
            )
        self._sub_layers[str(name)] = sublayer
        return sublayer

    def add_module(self, name: str, module: Layer | None) -> None:
        """Register a layer as a part of this one, as ``add_sublayer`` does."""
        self.add_sublayer(name, module)

    register_module = add_module

    # ---- attributes

    def __getattr__(self, name: str):
        # Called only if the instance and its class have no such attribute.
        members = self.__dict__
        if "_sub_layers" in members:  # __init__ creates this table last
            if name in members["_parameters"]:
                return members["_parameters"][name]
            if name in members["_sub_layers"]:
                return members["_sub_layers"][name]
            if name in members["_buffers"]:
                return members["_buffers"][name]
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value) -> None:
        changes.note()
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        elif isinstance(value, Parameter):
            self._place(name, value, "_parameters")
        elif name in self.__dict__.get("_parameters", ()):
            self._replace("parameter", "_parameters", name, value, "Parameter")
        elif isinstance(value, Layer):
            self._place(name, value, "_sub_layers")
        elif name in self.__dict__.get("_sub_layers", ()):
            self._replace("sublayer", "_sub_layers", name, value, "Layer")
        elif isinstance(value, Tensor):
            if name not in self.__dict__.get("_buffers", ()):
                self._place(name, value, "_buffers")
                self._non_persistable_buffer_names_set.add(name)
            self._buffers[name] = value
        elif name in self.__dict__.get("_buffers", ()):
            self._replace("buffers", "_buffers", name, value, "Tensor")
        else:
            object.__setattr__(self, name, value)

    def _place(self, name: str, value, table: str) -> None:
        """Store a value in one table and remove it from all others."""
        members = self.__dict__
        if table not in members:
            raise InvalidArgumentError("super().__init__() should be called first")
        members.pop(name, None)
        for other in ("_parameters", "_sub_layers", "_buffers"):
            if other != table:
                members[other].pop(name, None)
        if table != "_buffers":
            self._non_persistable_buffer_names_set.discard(name)
        members[table][name] = value

    def _replace(self, kind: str, table: str, name: str, value, wanted: str) -> None:
        """Set a registered name to None; raise for any other value of the wrong type."""
        if value is not None:
            raise InvalidTypeError(
                f"assignment to {kind} '{name}' should be of type {wanted} or None, but got "
                f"'{type(value).__name__}'. Delete the attribute first to reuse its name."
            )
        self.__dict__[table][name] = None

    def __delattr__(self, name: str) -> None:
        changes.note()
        for table in ("_parameters", "_sub_layers", "_buffers"):
            if name in self.__dict__.get(table, ()):
                del self.__dict__[table][name]
                self._non_persistable_buffer_names_set.discard(name)
                return
        object.__delattr__(self, name)

    def __copy__(self) -> Layer:
        """Return a shallow copy, with methods among its attributes bound to the copy.

        An example of such a method is a ``forward`` marked by ``to_static``.
        """
        reduced: Any = self.__reduce_ex__(4)
        # What copy.copy does for a class without __copy__; there is no public name for it.
        made = copy._reconstruct(self, None, *reduced)  # type: ignore[attr-defined]
        for name, value in list(made.__dict__.items()):
            is_method = type(value) is MethodType or hasattr(type(value), "dygraph_function")
            if is_method and getattr(value, "__self__", None) is self:
                made.__dict__[name] = value.__func__.__get__(made)
        return made

    def __dir__(self) -> list[str]:
        names = set(object.__dir__(self))
        return sorted(names.union(self._parameters, self._sub_layers, self._buffers))

    # ---- names and text

    def full_name(self) -> str:
        """Return the layer's unique name, the stem of its parameters' names.

        Example:
            >>> import jaxeager as paddle
            >>> with paddle.utils.unique_name.guard():
            ...     paddle.nn.Linear(1, 1).full_name()
            'linear_0'
        """
        return self._full_name

    def extra_repr(self) -> str:
        """Return the text that repr shows in parentheses, before the sublayers."""
        return ""

    def _takes(self) -> str:
        """Return a description of the layer's inputs for error messages."""
        return ""

    _repr_html_ = ports.notebook_form
    __treescope_repr__ = ports.treescope_form

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = [
            f"({name}): " + repr(layer).replace("\n", "\n  ")
            for name, layer in self._sub_layers.items()
        ]
        title = type(self).__name__
        if not lines and "\n" not in extra:
            return f"{title}({extra})"
        if extra and "\n" in extra:
            lines = [extra.replace("\n", "\n  "), *([""] if lines else []), *lines]
            extra = ""
        return (
            f"{title}({extra}\n" + "\n".join(f"  {line}" if line else "" for line in lines) + "\n)"
        )
