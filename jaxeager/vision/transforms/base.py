"""BaseTransform and Compose, the base classes of transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxeager.errors import InvalidArgumentError, UnimplementedError


class BaseTransform:
    """A transform of an image and of associated data.

    A subclass defines ``_apply_image``, and optionally ``_apply_boxes``, ``_apply_coords`` or
    ``_apply_mask``. ``_get_params`` is called first, with all inputs as a tuple; its result is
    stored in ``self.params``, so that all inputs are transformed alike.

    Args:
        keys: kinds of the inputs, in order: "image", "boxes", "coords", "mask"; the transform must
            have the ``_apply_`` method of each. One image by default. Inputs beyond the keys are
            returned unchanged.

    Raises:
        InvalidArgumentError: if ``keys`` is not a sequence.
        UnimplementedError: for any other key.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> class Flip(paddle.vision.transforms.BaseTransform):
        ...     def _get_params(self, inputs):
        ...         return inputs[0].shape[1]
        ...
        ...     def _apply_image(self, image):
        ...         return image[:, ::-1]
        ...
        ...     def _apply_coords(self, coords):
        ...         return np.stack([self.params - coords[:, 0], coords[:, 1]], 1)
        >>> image, coords = Flip(["image", "coords"])((np.zeros([4, 6]), np.array([[1, 2]])))
        >>> coords.tolist()
        [[5, 2]]
    """

    def __init__(self, keys: Sequence[str] | None = None):
        keys = ("image",) if keys is None else keys
        if not isinstance(keys, Sequence):
            raise InvalidArgumentError(f"keys should be a sequence, but got keys={keys}")
        for key in keys:
            if self._get_apply(key) is None:
                raise UnimplementedError(f"{key} is unsupported data structure")
        self.keys = keys
        self.params: Any = None

    def _get_params(self, inputs):
        """Return the parameters that all inputs are transformed with."""

    def __call__(self, inputs: object) -> Any:
        """Transform one input, or a tuple of inputs.

        Args:
            inputs: of the kinds given by ``keys``.
        """
        given = inputs if isinstance(inputs, tuple) else (inputs,)
        self.params = self._get_params(given)
        applied = [
            self._get_apply(key)(value) for key, value in zip(self.keys, given, strict=False)
        ]
        outputs = (*applied, *given[len(applied) :])
        return outputs[0] if len(outputs) == 1 else outputs

    def _get_apply(self, key: str) -> Any:
        return getattr(self, f"_apply_{key}", None)

    def _apply_image(self, image):
        raise self._missing("image")

    def _apply_boxes(self, boxes):
        raise self._missing("boxes")

    def _apply_mask(self, mask):
        raise self._missing("mask")

    def _apply_coords(self, coords):
        raise self._missing("coords")

    def _missing(self, key: str) -> Exception:
        name = type(self).__name__
        return UnimplementedError(f"{name} cannot transform {key}: it has no _apply_{key}.")


class Compose:
    """A sequence of transforms.

    An error has a note that names the transform that raised it.

    Args:
        transforms: a list of transforms, or of any functions.

    Example:
        >>> import numpy as np
        >>> from jaxeager.vision.transforms import CenterCrop, Compose, Transpose
        >>> Compose([CenterCrop(2), Transpose()])(np.zeros([4, 6, 3], "uint8")).shape
        (3, 2, 2)
    """

    def __init__(self, transforms: Sequence[Callable[..., Any]]):
        self.transforms = transforms

    def __call__(self, data: object) -> Any:
        """Return the result of the last transform."""
        for transform in self.transforms:
            try:
                data = transform(data)
            except Exception as error:
                error.add_note(f"Raised by the transform {transform} of a Compose.")
                raise
        return data

    def __repr__(self) -> str:
        inner = "".join(f"\n    {transform}" for transform in self.transforms)
        return f"{type(self).__name__}({inner}\n)"
