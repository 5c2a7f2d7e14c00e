"""save and load: Paddle's ``.pdparams``/``.pdopt`` files, and safetensors.

Note [Paddle's files]
Paddle pickles plain containers. There are two forms, and ``save`` chooses as Paddle does:

- a state dict (a dict whose values are tensors, or dicts without tensors in them) becomes a dict
  of NumPy arrays, with the tensors' names under ``StructuredToParameterName@@``;
- in any other object each tensor is replaced by a tuple ``(name, array)``.

NumPy has no bfloat16: its bits are stored as uint16, and uint16 is read as bfloat16.
With a pickle protocol below 4, arrays over 1 GiB are cut into slices (``UnpackBigParamInfor@@``).
"""

from __future__ import annotations

import io
import os
import pickle
import threading
import warnings
from typing import Any

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError
from jaxeager.framework.io import writing_states
from jaxeager.framework.io.binary import from_binary, is_binary, to_binary
from jaxeager.framework.io.nested import (
    _parse_every_object,
    _to_LodTensor,
    _transformed_from_lodtensor,
)
from jaxeager.framework.io.objects import objects_of
from jaxeager.framework.io.paths import ends_in_safetensors, reading, refuse_path, shown, writing
from jaxeager.framework.io.plain import is_state_dict, plain_of, plain_state_dict
from jaxeager.framework.io.safetensors_files import from_safetensors, to_safetensors
from jaxeager.framework.restricted_pickle import restricted_load
from jaxeager.tensor import Parameter as EagerParamBase
from jaxeager.tensor import Tensor

__all__ = [
    "EagerParamBase", "async_save", "async_save_queue", "clear_async_save_task_queue", "load",
    "save",
]  # fmt: skip


def save(
    obj: Any, path: str | os.PathLike[str] | io.BytesIO, protocol: int = 4, **configs: Any
) -> None:
    """Write tensors, and containers of them, to a file that Paddle can read.

    A file appears whole or not at all: it is written to a temporary file, which is then renamed.

    Args:
        obj: a Tensor, a state dict, or nested dicts, lists, tuples and sets of tensors, arrays,
            numbers and strings. A state of random numbers is written so that Paddle's generator
            takes it, though it draws other numbers. An object of a
            dataclass, such as a program's options, is written as Python's pickle writes it, and
            only ``pickle.load`` reads it back.
        path: a file name, or an ``io.BytesIO``. A name ending in ``.safetensors`` writes a flat
            dict of tensors in that format.
        protocol: pickle protocol, 2 to 4.
        **configs: ``safetensors=True`` writes that format regardless of the name;
            ``use_binary_format=True`` writes one Tensor in Paddle's binary form.

    Raises:
        InvalidArgumentError: for a bad path, protocol or config, a Layer, or nested safetensors.
        UnimplementedError: for the binary form of anything but a Tensor.
        InvalidTypeError: for an object that is none of the above.
        UnavailableError: when safetensors is not installed.

    Example:
        >>> import io
        >>> import jaxeager as paddle
        >>> file = io.BytesIO()
        >>> paddle.save({"w": paddle.to_tensor([1.0, 2.0]), "epoch": 3}, file)
        >>> _ = file.seek(0)
        >>> state = paddle.load(file)
        >>> state["w"].tolist(), state["epoch"]
        ([1.0, 2.0], 3)
    """
    _refuse_configs(configs, "save", ("use_binary_format", "pickle_protocol", "safetensors"))
    binary = configs.get("use_binary_format", False)
    if not isinstance(binary, bool):
        raise InvalidTypeError(
            f"Type of `use_binary_format` should be bool, but received {type(binary)}."
        )
    protocol = configs.get("pickle_protocol", protocol)
    if isinstance(protocol, bool) or not isinstance(protocol, int) or not 2 <= protocol <= 4:
        raise InvalidArgumentError(
            f"The 'protocol' must be an int from 2 to 4, but received {protocol!r}."
        )
    refuse_path(path)
    if binary or configs.get("safetensors") or ends_in_safetensors(path):
        data = to_binary(obj) if binary else to_safetensors(obj)
        with writing(path) as file:
            file.write(data)
        return
    try:
        plain = plain_state_dict(obj, protocol) if is_state_dict(obj) else plain_of(obj)
        dump = writing_states.dump if writing_states.has_state(plain) else pickle.dump
    except RecursionError:
        raise InvalidArgumentError(
            "paddle.save cannot write containers that hold themselves, or nest too deep."
        ) from None
    with writing(path) as file:
        dump(plain, file, protocol)


def load(path: str | os.PathLike[str] | io.BytesIO, **configs: Any) -> Any:
    """Read a file written by ``save``, or by Paddle's ``save``; never run code in the file.

    Args:
        path: a file name, or an ``io.BytesIO``. A name ending in ``.safetensors`` reads that
            format.
        **configs: ``return_numpy=True`` returns NumPy arrays instead of tensors (with bfloat16 as
            uint16, as in Paddle); ``keep_name_table=True`` keeps the parameters' names in a state
            dict; ``safetensors=True`` reads that format regardless of the name.

    Raises:
        InvalidArgumentError: when there is no such file, it is not a pickle, or the pickle names
            anything but arrays, numbers, strings and containers.
        UnavailableError: when safetensors is not installed.

    Example:
        >>> import io
        >>> import jaxeager as paddle
        >>> file = io.BytesIO()
        >>> paddle.save(paddle.to_tensor([1.0, 2.0]), file)
        >>> _ = file.seek(0)
        >>> paddle.load(file, return_numpy=True)
        array([1., 2.], dtype=float32)
    """
    allowed = ("return_numpy", "keep_name_table", "safetensors", "model_filename")
    _refuse_configs(configs, "load", (*allowed, "params_filename"))
    for name in ("model_filename", "params_filename"):
        if configs.get(name) is not None:
            raise UnimplementedError(
                f"paddle.load({name}=...) reads inference models; jaxeager reads files written by "
                "paddle.save."
            )
    return_numpy = configs.get("return_numpy", False)
    with reading(path) as file:
        if configs.get("safetensors") or ends_in_safetensors(path):
            return from_safetensors(file.read(), shown(path), return_numpy)
        start = file.read(4)
        if is_binary(start):
            return from_binary(start + file.read(), shown(path), return_numpy)
        file.seek(-len(start), io.SEEK_CUR)
        found = restricted_load(file, shown(path))
    return objects_of(found, shown(path), return_numpy, configs.get("keep_name_table", False))


def _refuse_configs(configs: dict, function: str, allowed: tuple[str, ...]) -> None:
    for name in configs:
        if name not in allowed:
            raise InvalidArgumentError(
                f"The additional config ({name}) of `paddle.{function}` is not supported; it takes "
                f"{', '.join(allowed)}."
            )


# ---- files that are written while the program continues


class _Writing(threading.Thread):
    """A thread that writes a file, and keeps the error that ended it."""

    def __init__(self, content: io.BytesIO, path: str):
        super().__init__(name=f"async_save of {path}")
        self.content, self.path = content, path
        self.error: OSError | None = None

    def run(self) -> None:
        """Write the file."""
        try:
            with writing(self.path) as file:
                file.write(self.content.getbuffer())
        except OSError as error:
            self.error = error


async_save_queue: list[_Writing] = []


def async_save(
    obj: object,
    path: str | io.BytesIO,
    protocol: int = 4,
    sync_other_task: bool = False,
    **configs: Any,
) -> None:
    """Copy a state dict or a tensor, and write the file in a thread.

    Args:
        obj: a dict, or a Tensor.
        path: a file name, or an ``io.BytesIO``.
        protocol: pickle protocol, 2 to 4.
        sync_other_task: whether to wait first for the files that are still being written.
        configs: ignored, with a warning.

    Raises:
        InvalidTypeError: for any other object.
        InvalidArgumentError: as in ``save``.

    Example:
        >>> import jaxeager as paddle, tempfile, os
        >>> from jaxeager.framework.io import async_save, clear_async_save_task_queue
        >>> path = os.path.join(tempfile.mkdtemp(), "layer.pdparams")
        >>> async_save(paddle.nn.Linear(2, 2).state_dict(), path)
        >>> clear_async_save_task_queue()
        >>> sorted(paddle.load(path))
        ['bias', 'weight']
    """
    if not isinstance(obj, (dict, Tensor)):
        raise InvalidTypeError(f"currently async_save does not support this type: {type(obj)}")
    if configs:
        warnings.warn("configs are not supported in async mode, and are ignored.", stacklevel=2)
    if sync_other_task:
        clear_async_save_task_queue()
    if isinstance(path, io.BytesIO):
        save(obj, path, protocol)
        return
    content = io.BytesIO()
    save(obj, content, protocol)
    task = _Writing(content, path)
    task.start()
    async_save_queue.append(task)


def clear_async_save_task_queue() -> None:
    """Wait until all files of ``async_save`` are written.

    Raises:
        OSError: when a file could not be written.

    Example:
        >>> from jaxeager.framework.io import clear_async_save_task_queue
        >>> clear_async_save_task_queue()
    """
    while async_save_queue:
        task = async_save_queue.pop()
        task.join()
        if task.error is not None:
            raise task.error
