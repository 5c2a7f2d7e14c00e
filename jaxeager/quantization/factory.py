"""Factories of the quanters of layers: a class and its arguments."""

from __future__ import annotations

import abc
import inspect
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxeager.nn.layer.layer import Layer
    from jaxeager.quantization.bases import BaseQuanter


class ClassWithArguments(metaclass=abc.ABCMeta):
    """A class, and the arguments to create an instance with.

    Attributes:
        args: the positional arguments.
        kwargs: the keyword arguments.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        self.args, self.kwargs = args, kwargs

    @abc.abstractmethod
    def _get_class(self) -> type[BaseQuanter]:
        """Return the class."""

    def __repr__(self) -> str:
        given = [str(each) for each in self.args]
        given += [f"{name}={value}" for name, value in self.kwargs.items()]
        return f"{type(self).__name__}({','.join(given)})"


class QuanterFactory(ClassWithArguments):
    """A factory of quanters for layers; the base of the factories that a QuantConfig accepts."""

    def _instance(self, layer: Layer) -> BaseQuanter:
        """Return a new quanter for a layer."""
        return self._get_class()(*self.args, layer, **self.kwargs)  # type: ignore[call-arg]


ObserverFactory = QuanterFactory


def quanter(class_name: str) -> Callable[[type[BaseQuanter]], type[BaseQuanter]]:
    """Decorate a quanter's class: add a factory for it to its module under another name.

    Args:
        class_name: the name of the factory.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.quantization.quanters.abs_max import FakeQuanterWithAbsMaxObserverLayer
        >>> @paddle.quantization.quanter("MyQuanter")
        ... class MyQuanterLayer(FakeQuanterWithAbsMaxObserverLayer):
        ...     def __init__(self, layer, bits=8):
        ...         super().__init__(layer, bit_length=bits)
        >>> MyQuanter(bits=4)  # doctest: +SKIP
        MyQuanter(bits=4)
    """

    def made(target: type[BaseQuanter]) -> type[BaseQuanter]:
        frame = inspect.currentframe()
        names = frame.f_back.f_globals if frame is not None and frame.f_back is not None else {}
        module = sys.modules.get(target.__module__)
        names = vars(module) if module is not None else names
        names[class_name] = type(
            class_name,
            (QuanterFactory,),
            {"_get_class": lambda self: target, "__module__": target.__module__},
        )
        if "__all__" in names:
            names["__all__"].append(class_name)
        return target

    return made
