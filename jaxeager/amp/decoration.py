"""decorate: a model in half precision whose optimizer keeps float32 weights."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from jaxeager import nn
from jaxeager.amp.auto_cast import set_master_grads
from jaxeager.core import dtypes
from jaxeager.core.weak_entries import removing_ref
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PreconditionNotMetError
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.kernels.tracing import jit
from jaxeager.optimizer import Optimizer
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer

# Layers whose parameters stay float32: always, and when the others become float16.
ALWAYS_FLOAT32 = (
    nn.BatchNorm,
    nn.BatchNorm1D,
    nn.BatchNorm2D,
    nn.BatchNorm3D,
    nn.SyncBatchNorm,
)
NEVER_FLOAT16 = (nn.LayerNorm, nn.InstanceNorm1D, nn.InstanceNorm2D, nn.InstanceNorm3D)
SAVE_DTYPES = ("float16", "bfloat16", "float32", "float64")

_mastered: dict[int, weakref.ref] = {}  # parameters decorated with master_grad


def decorate(
    models: Any,
    optimizers: Any = None,
    level: str = "O1",
    dtype: str = "float16",
    master_weight: bool | None = None,
    save_dtype: str | None = None,
    master_grad: bool = False,
    excluded_layers: Layer | list[Layer | type[Layer]] | type[Layer] | None = None,
) -> Any:
    """Cast models to half precision and make their optimizers keep float32 weights.

    At level "O1" nothing is done: parameters stay float32 and ``auto_cast`` casts for each op. At
    "O2" floating parameters and buffers become ``dtype``, but not those of batch norms, and for
    float16 not those of layer norms and instance norms. Parameters remain the same objects.

    Args:
        models: a Layer or a list of them.
        optimizers: an Optimizer, a list of them, or None.
        level: "O1" or "O2".
        dtype: "float16" or "bfloat16".
        master_weight: whether optimizers update a float32 copy of each half precision parameter
            and round it; None means yes.
        save_dtype: the dtype of floating tensors in ``state_dict``; None for their own. Loading is
            not affected.
        master_grad: make gradients of the models' parameters float32 at the end of the first
            backward after each entry of ``auto_cast``, so that clipping and decay see float32.
        excluded_layers: a Layer, a Layer class, or a list of them, which stay float32; for a Layer
            also its sublayers.

    Returns:
        models, or (models, optimizers) when there are optimizers, each in its given form.

    Raises:
        InvalidArgumentError: for another level, dtype or save_dtype.
        InvalidTypeError: for models, optimizers or excluded layers of other types.
        PreconditionNotMetError: for a list with other elements, and for an optimizer that has made
            a step: its accumulators belong to the float32 parameters.
        Nothing is changed when an error is raised.

    Paddle: returns everything unchanged on a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.BatchNorm1D(2))
        >>> adam = paddle.optimizer.Adam(parameters=model.parameters())
        >>> model, adam = paddle.amp.decorate(model, adam, level="O2", dtype="bfloat16")
        >>> model[0].weight.dtype, model[1].weight.dtype
        (paddle.bfloat16, paddle.float32)
    """
    if level not in ("O1", "O2"):
        raise InvalidArgumentError(
            "level should be O1 or O2, O1 represent AMP train mode, O2 represent Pure fp16 train "
            f"mode. Received {level!r}."
        )
    if dtype not in ("float16", "bfloat16"):
        raise InvalidArgumentError(f"dtype only support float16 or bfloat16. Received {dtype!r}.")
    given = models if optimizers is None else (models, optimizers)
    if level == "O1":
        return given
    if save_dtype is not None and save_dtype not in SAVE_DTYPES:
        raise InvalidArgumentError(
            f"save_dtype can only be {', '.join(SAVE_DTYPES)}, but your input save_dtype is "
            f"{save_dtype}."
        )
    layers = _checked_models(models)
    excluded = _checked_excluded(excluded_layers)
    keeps_master = master_weight is not False
    steppers = [] if optimizers is None else _checked_optimizers(optimizers, keeps_master)
    _cast_layers(layers, dtype, *excluded)
    for optimizer in steppers:
        optimizer._multi_precision = keeps_master
        optimizer._plan = None
    if master_grad:
        _keep_master_grads([param for layer in layers for param in layer.parameters()])
    if save_dtype is not None:
        for layer in _all_layers(layers):
            layer.register_state_dict_hook(_SaveAs(save_dtype))
    return given


def amp_decorate(
    models: Any,
    optimizers: Any = None,
    level: str = "O1",
    dtype: str = "float16",
    master_weight: bool | None = None,
    save_dtype: str | None = None,
    master_grad: bool = False,
    excluded_layers: Layer | list[Layer | type[Layer]] | type[Layer] | None = None,
) -> Any:
    """Do the work of ``decorate``; an older name of it.

    Example:
        >>> import jaxeager as paddle
        >>> model = paddle.amp.amp_decorate(paddle.nn.Linear(2, 2), level="O2")
        >>> model.weight.dtype
        paddle.float16
    """
    return decorate(
        models,
        optimizers,
        level,
        dtype,
        master_weight,
        save_dtype,
        master_grad,
        excluded_layers,
    )


# ---- arguments


def _checked_models(models) -> list:
    if isinstance(models, nn.Layer):
        return [models]
    if not isinstance(models, list):
        raise InvalidTypeError(
            "models must be either a single model or a list of models, but received "
            f"{type(models).__name__}."
        )
    for model in models:
        if not isinstance(model, nn.Layer):
            raise PreconditionNotMetError(
                "Current train mode is pure fp16, models should be paddle.nn.Layer, but receive "
                f"{type(model)}."
            )
    return models


def _checked_optimizers(optimizers, keeps_master: bool) -> list:
    listed = [optimizers] if isinstance(optimizers, Optimizer) else optimizers
    if not isinstance(listed, list):
        raise InvalidTypeError(
            "optimizers must be either a single optimizer or a list of optimizers, but received "
            f"{type(optimizers).__name__}."
        )
    for optimizer in listed:
        if not isinstance(optimizer, Optimizer):
            raise PreconditionNotMetError(
                "Current train mode is pure fp16, optimizers should be "
                f"paddle.optimizer.Optimizer, but receive {type(optimizer)}."
            )
        stepped = [p.name for p in optimizer._params if optimizer._state.has(p)]
        if keeps_master and stepped:
            raise PreconditionNotMetError(
                f"decorate() must come before the first step of an optimizer, but this "
                f"{type(optimizer).__name__} has updated {stepped[0]}: make a new optimizer."
            )
    return listed


def _checked_excluded(excluded) -> tuple[list, tuple]:
    """Return the layers and the classes of layers that stay float32."""
    listed = [] if excluded is None else excluded if isinstance(excluded, list) else [excluded]
    layers = [item for item in listed if isinstance(item, nn.Layer)]
    classes = [item for item in listed if isinstance(item, type) and issubclass(item, nn.Layer)]
    if len(layers) + len(classes) != len(listed):
        raise InvalidTypeError(
            "excluded_layers must be either a nn.Layer instance/type or a list of nn.Layer "
            f"instances/types, but received {excluded!r}."
        )
    return layers, tuple(classes)


# ---- casting


def _all_layers(models: list) -> list:
    return [layer for model in models for layer in model.sublayers(include_self=True)]


def _cast_layers(models: list, dtype: str, excluded: list, excluded_classes: tuple) -> None:
    kept = {id(layer) for layer in _all_layers(excluded)}
    for layer in _all_layers(models):
        if id(layer) in kept or isinstance(layer, excluded_classes):
            layer._cast_to_low_precision = False
        if not _stays_float32(layer, dtype):
            _cast_layer(layer, dtype)


def _stays_float32(layer, dtype: str) -> bool:
    """Return whether a layer's parameters are not cast, also by the layer's own attribute."""
    return (
        not layer._cast_to_low_precision
        or isinstance(layer, ALWAYS_FLOAT32)
        or (dtype == "float16" and isinstance(layer, NEVER_FLOAT16))
    )


def _cast_layer(layer, dtype: str) -> None:
    """Cast a layer's own floating parameters and buffers, and their gradients, in place."""
    target = dtypes.to_numpy(dtype)
    layer._dtype = dtype
    own = [t for t in (*layer._parameters.values(), *layer._buffers.values()) if t is not None]
    own += [tensor.grad for tensor in own if tensor.grad is not None]
    cast = [tensor for tensor in own if dtypes.is_floating(tensor._array.dtype)]
    arrays = [tensor._array.astype(target) for tensor in cast]
    write_arrays(cast, arrays)


# ---- master gradients


def _keep_master_grads(params: list) -> None:
    for param in params:
        _mastered[id(param)] = removing_ref(_mastered, param)
    set_master_grads(widen_master_grads)


def widen_master_grads() -> None:
    """Make the half precision gradients of decorated parameters float32, in one XLA call."""
    grads = []
    for reference in list(_mastered.values()):
        param = reference()
        meta = None if param is None else param._meta
        if meta is not None and meta.grad is not None and meta.grad._held.dtype in dtypes.HALF:
            grads.append(meta.grad)
    if grads:
        write_arrays(grads, _widened([grad._held for grad in grads]))


@jit
def _widened(arrays: list) -> list:
    return [array.astype(jnp.float32) for array in arrays]


# ---- saving


class _SaveAs:
    """A hook of state_dict that converts floating tensors to another dtype."""

    def __init__(self, dtype: str):
        self._dtype: np.dtype = dtypes.to_numpy(dtype)

    def __call__(self, state_dict) -> None:
        for name, tensor in state_dict.items():
            array = tensor._array
            if dtypes.is_floating(array.dtype) and array.dtype != self._dtype:
                shown = Tensor.from_array(array.astype(self._dtype))
                shown.name = tensor.name
                state_dict[name] = shown
