"""Config: the model of a Predictor, and its device."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

import jax

from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionNotMetError,
    UnavailableError,
    UnimplementedError,
)
from jaxeager.inference.kinds import PrecisionType
from jaxeager.inference.models import model_of
from jaxeager.inference.switches import GETTERS, LACKING, WITHOUT_MEANING

if TYPE_CHECKING:
    from types import FunctionType


_logger = logging.getLogger("jaxeager.inference")
_said: set[str] = set()  # the settings of Paddle's engine whose note was logged


def say_once(name: str) -> None:
    """Log, once per process and setting, that it has no meaning here."""
    if name not in _said:
        _said.add(name)
        _logger.warning(
            "paddle.inference: Config.%s() changes nothing here: XLA compiles a program in its own "
            "way, with the same results.",
            name,
        )


class Config:
    """The model of a Predictor, and its device.

    Only the choice of the model and the device has an effect. Settings of Paddle's engine that do
    not change results are accepted; the first call of each logs to ``jaxeager.inference`` that it
    changes nothing. Settings that need another engine (TensorRT, XPU, IPU, CINN) raise.

    Args:
        *model: nothing; another Config, which is copied; a folder with one model; or the files of
            the program and of the parameters. Only their stem counts: "net.json" or "net.pdmodel",
            "net.pdiparams" mean the files that ``paddle.jit.save(layer, "net")`` wrote.

    Raises:
        InvalidTypeError: for anything else.
        NotFoundError: when files are named, and there is no such model.

    Example:
        >>> import jaxeager as paddle
        >>> config = paddle.inference.Config("models/net")
        >>> config.model_dir(), config.ir_optim()
        ('models/net', True)
    """

    Precision = PrecisionType
    Float32, Half = PrecisionType.Float32, PrecisionType.Half
    Int8, Bfloat16 = PrecisionType.Int8, PrecisionType.Bfloat16

    def __init__(self, *model: Any):
        self._values: dict[str, Any] = dict(GETTERS)
        self._device = "cpu" if jax.default_backend() == "cpu" else None
        self._dir = self._program = self._params = ""
        if len(model) == 1 and isinstance(model[0], Config):
            vars(self).update({**vars(model[0]), "_values": dict(model[0]._values)})
        elif model:
            self.set_model(*model)
            if self._program:
                model_of(self._dir, self._program)

    def set_model(self, *model: str | os.PathLike) -> None:
        """Set the model: a folder, or the files of program and parameters.

        Args:
            *model: one path or two.

        Raises:
            InvalidTypeError: for anything else.
        """
        if len(model) not in (1, 2) or not all(isinstance(m, (str, os.PathLike)) for m in model):
            raise InvalidTypeError(
                "A Config takes a folder, or the files of program and parameters, but received "
                f"{', '.join(map(repr, model))}."
            )
        paths = [os.fsdecode(each) for each in model]
        if len(paths) == 1:
            self._dir, self._program, self._params = paths[0], "", ""
        else:
            self._dir, self._program, self._params = "", *paths

    def set_prog_file(self, path: str) -> None:
        """Set the file of the program.

        Args:
            path: the file.
        """
        self._program = path

    def set_params_file(self, path: str) -> None:
        """Set the file of the parameters; they are read from the folder of the program.

        Args:
            path: the file.
        """
        self._params = path

    def set_model_buffer(self, *buffers: object) -> None:
        """Raise: a model is read from files.

        Args:
            *buffers: program and parameters, with their lengths.

        Raises:
            UnimplementedError: always.
        """
        raise UnimplementedError("A model is read from files: set_model(program, parameters).")

    def model_dir(self) -> str:
        """Return the folder of the model, or ""."""
        return self._dir

    def prog_file(self) -> str:
        """Return the file of the program, or ""."""
        return self._program

    def params_file(self) -> str:
        """Return the file of the parameters, or ""."""
        return self._params

    # ---- devices

    def enable_use_gpu(
        self,
        memory_pool_init_size_mb: int,
        device_id: int = 0,
        precision_mode: PrecisionType = PrecisionType.Float32,
    ) -> None:
        """Run on a GPU if JAX has one; else stay on the CPU and log it.

        Args:
            memory_pool_init_size_mb: stored only; JAX manages memory itself.
            device_id: the number of the GPU.
            precision_mode: ignored: a model keeps the precision that it was saved with.

        Raises:
            InvalidArgumentError: when there is no GPU of that number.
        """
        self._values["memory_pool_init_size_mb"] = memory_pool_init_size_mb
        if precision_mode != PrecisionType.Float32:
            say_once(f"enable_use_gpu(precision_mode={precision_mode.name})")
        if jax.default_backend() != "gpu":
            _logger.warning("paddle.inference: JAX has no GPU here; the model runs on the CPU.")
            return
        if not 0 <= device_id < jax.device_count():
            raise InvalidArgumentError(f"There is no GPU {device_id}; there are {jax.devices()}.")
        self._values["gpu_device_id"], self._device = device_id, f"gpu:{device_id}"

    def disable_gpu(self) -> None:
        """Run on the CPU."""
        self._device = "cpu"

    def use_gpu(self) -> bool:
        """Return whether it runs on a GPU."""
        return (self._device or "").startswith("gpu")

    def device(self) -> str | None:
        """Return its device ("cpu", "gpu:0"); None for the default device of new tensors."""
        return self._device

    # ---- stored settings

    def switch_ir_optim(self, x: int = True) -> None:
        """Store whether Paddle would optimize the program; XLA always does.

        Args:
            x: True or False.
        """
        self._values["ir_optim"] = bool(x)

    def set_cpu_math_library_num_threads(self, threads: int) -> None:
        """Store a number of threads; XLA uses as many as there are cores.

        Args:
            threads: the number of threads.
        """
        self._values["cpu_math_library_num_threads"] = threads

    def disable_glog_info(self) -> None:
        """Store that Paddle's engine must not print; this one never does."""
        self._values["glog_info_disabled"] = True

    def switch_specify_input_names(self, x: bool = True) -> None:
        """Store whether inputs are passed by name; they always are.

        Args:
            x: True or False.
        """
        self._values["specify_input_name"] = bool(x)

    def switch_use_feed_fetch_ops(self, x: int = True) -> None:
        """Store whether a program has feed and fetch steps; it has none.

        Args:
            x: True or False.
        """
        self._values["use_feed_fetch_ops_enabled"] = bool(x)

    def enable_low_precision_io(self, x: bool = True) -> None:
        """Raise, as in Paddle without a GPU precision: dtypes are those of the saved model.

        Args:
            x: True or False.

        Raises:
            InvalidArgumentError: when x is True.
        """
        if x:
            raise InvalidArgumentError(
                "Inputs and outputs have the dtypes that the model was saved with. Save it with "
                "float16 or bfloat16 InputSpecs."
            )

    def summary(self) -> str:
        """Return the settings that have an effect, as text."""
        rows = {
            "model_dir": self._dir, "model_file": self._program, "params_file": self._params,
            "device": self._device or "default",
        }  # fmt: skip
        return "\n".join(f"{name:<12} {value}" for name, value in rows.items() if value) + "\n"


def _add_methods() -> None:
    """Give Config the getters and switches of the tables of switches.py."""
    for name in GETTERS:
        _add(name, _getter(name), "Return the value that was set, or Paddle's default.")
    for name in WITHOUT_MEANING:
        _add(
            name,
            _without_meaning(name),
            "Accept the setting and change nothing; the log notes this once.",
        )
    for name, needs in LACKING.items():
        doc = f"Raise an error: {needs} is not available.\n\nRaises:\n    UnavailableError: always."
        _add(name, _lacking(name, needs), doc)


def _add(name: str, method: FunctionType, doc: str) -> None:
    method.__name__, method.__qualname__, method.__doc__ = name, f"Config.{name}", doc
    setattr(Config, name, method)


def _getter(name: str) -> FunctionType:
    def get(self: Config) -> object:
        return self._values[name]

    return get


def _without_meaning(name: str) -> FunctionType:
    def switch(self: Config, *args: object, **kwargs: object) -> None:
        say_once(name)

    return switch


def _lacking(name: str, needs: str) -> FunctionType:
    error = PreconditionNotMetError if "TensorRT" in needs else UnavailableError

    def switch(self: Config, *args: object, **kwargs: object) -> None:
        raise error(f"Config.{name}() needs {needs}, which is not available. Omit the call.")

    return switch


_add_methods()
