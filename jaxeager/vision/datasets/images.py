"""Helpers shared by the image datasets: backends, dtypes and transforms."""

import numpy as np

from jaxeager.vision.image import checked, get_image_backend


def backend_of(backend: str | None) -> str:
    """Return "pil" or "cv2"; None means the choice of ``set_image_backend``.

    Raises:
        InvalidArgumentError: for any other backend.
    """
    return checked(get_image_backend() if backend is None else backend, among=("pil", "cv2"))


def default_dtype() -> np.dtype:
    """Return the default dtype as a NumPy dtype."""
    from jaxeager.core import dtypes  # imports JAX, which a worker that reads images can do without

    return dtypes.to_numpy(dtypes.get_default_dtype())


def transformed(image, transform):
    """Return an image after a transform, which may be None."""
    return image if transform is None else transform(image)


def cast(image, backend: str, dtype: np.dtype):
    """Cast an array or Tensor of backend "cv2" to a dtype; return "pil" images unchanged."""
    if backend == "pil":
        return image
    return image.astype(dtype if isinstance(image, np.ndarray) else dtype.name)
