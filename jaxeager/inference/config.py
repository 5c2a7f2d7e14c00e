"""Config: which model a Predictor runs, and where."""

from __future__ import annotations

import logging
import os
from typing import Any

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

_logger = logging.getLogger("jaxeager.inference")
_said: list[str] = []  # whether it was said that settings of Paddle's engine change nothing


def say_once(name: str) -> None:
    """Says, once in a process, that a setting has no meaning here."""
    if not _said:
        _said.append(name)
        _logger.warning(
            "paddle.inference: Config.%s() changes nothing here: XLA compiles a program in its own "
            "way, with the same results. Other settings of Paddle's engine are taken without a "
            "word.",
            name,
        )


class Config:
    """Which model a Predictor runs, and where.

    What chooses the model and the device counts. Settings of Paddle's engine that do not change
    results are accepted; the first says in the log ``jaxeager.inference`` that they change nothing.
    What would need another engine (TensorRT, XPU, IPU, CINN) raises.

    Args:
        *model: nothing; another Config, which is copied; a folder with one model; or the files of
            the program and of the parameters. Of these the beginning counts: "net.json" or
            "net.pdmodel", "net.pdiparams" stand for what ``paddle.jit.save(layer, "net")`` wrote.

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
        """Says which model: a folder, or the files of program and parameters.

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
        """Says which file the program is in.

        Args:
            path: the file.
        """
        self._program = path

    def set_params_file(self, path: str) -> None:
        """Says which file the parameters are in; they are read from beside the program.

        Args:
            path: the file.
        """
        self._params = path

    def set_model_buffer(self, *buffers: Any) -> None:
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
        """Run on a GPU, where JAX has one; else it stays on the CPU, and the log says so.

        Args:
            memory_pool_init_size_mb: kept for whoever asks; JAX takes memory in its own way.
            device_id: which GPU.
            precision_mode: a model keeps the precision that it was saved with.

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
        """Says whether it runs on a GPU."""
        return (self._device or "").startswith("gpu")

    def device(self) -> str | None:
        """Return where it runs ("cpu", "gpu:0"); None for where tensors are made anyway."""
        return self._device

    # ---- what is kept for whoever asks

    def switch_ir_optim(self, x: int = True) -> None:
        """Keep whether Paddle would optimize the program; XLA always does.

        Args:
            x: True or False.
        """
        self._values["ir_optim"] = bool(x)

    def set_cpu_math_library_num_threads(self, threads: int) -> None:
        """Keep a number of threads; XLA takes as many as there are cores.

        Args:
            threads: how many.
        """
        self._values["cpu_math_library_num_threads"] = threads

    def disable_glog_info(self) -> None:
        """Keep that Paddle's engine is to print nothing; this one does not."""
        self._values["glog_info_disabled"] = True

    def switch_specify_input_names(self, x: bool = True) -> None:
        """Keep whether inputs are given by name; they are.

        Args:
            x: True or False.
        """
        self._values["specify_input_name"] = bool(x)

    def switch_use_feed_fetch_ops(self, x: int = True) -> None:
        """Keep whether a program has steps that feed it; it has none.

        Args:
            x: True or False.
        """
        self._values["use_feed_fetch_ops_enabled"] = bool(x)

    def enable_low_precision_io(self, x: bool = True) -> None:
        """Raise, as in Paddle without a precision for a GPU: dtypes are those that were saved.

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
        """Return the settings that count, as a text."""
        rows = {
            "model_dir": self._dir, "model_file": self._program, "params_file": self._params,
            "device": self._device or "default",
        }  # fmt: skip
        return "\n".join(f"{name:<12} {value}" for name, value in rows.items() if value) + "\n"


def _add_methods() -> None:
    """Give Config the getters and switch of the tables of switches.py."""
    for name in GETTERS:
        _add(name, _getter(name), "Returns what was set, or Paddle's default.")
    for name in WITHOUT_MEANING:
        _add(name, _without_meaning(name), "Accepted; changes nothing, and the log says so once.")
    for name, needs in LACKING.items():
        doc = f"Raises: there is no {needs}.\n\nRaises:\n    UnavailableError: always."
        _add(name, _lacking(name, needs), doc)


def _add(name: str, method: Any, doc: str) -> None:
    method.__name__, method.__qualname__, method.__doc__ = name, f"Config.{name}", doc
    setattr(Config, name, method)


def _getter(name: str) -> Any:
    def get(self: Config) -> Any:
        return self._values[name]

    return get


def _without_meaning(name: str) -> Any:
    def switch(self: Config, *args: Any, **kwargs: Any) -> None:
        say_once(name)

    return switch


def _lacking(name: str, needs: str) -> Any:
    error = PreconditionNotMetError if "TensorRT" in needs else UnavailableError

    def switch(self: Config, *args: Any, **kwargs: Any) -> None:
        raise error(f"Config.{name}() needs {needs}, which is not here. Leave the call out.")

    return switch


_add_methods()
