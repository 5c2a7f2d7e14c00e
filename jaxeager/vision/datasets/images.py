"""What the datasets of images have in common: the kind of their images."""

import numpy as np

from jaxeager.vision.image import checked, get_image_backend


def backend_of(backend: str | None) -> str:
    """Return "pil" or "cv2"; None is for what ``set_image_backend`` chose.

    Raises:
        InvalidArgumentError: for another one.
    """
    return checked(get_image_backend() if backend is None else backend, among=("pil", "cv2"))


def default_dtype() -> np.dtype:
    """Return the default dtype, as NumPy's."""
    from jaxeager.core import dtypes  # with JAX, which a worker that reads images does without

    return dtypes.to_numpy(dtypes.get_default_dtype())


def transformed(image, transform):
    """Return an image after a transform, which may be None."""
    return image if transform is None else transform(image)


def cast(image, backend: str, dtype: np.dtype):
    """Return an array or Tensor of backend "cv2" in a dtype; images of "pil" as they are."""
    if backend == "pil":
        return image
    return image.astype(dtype if isinstance(image, np.ndarray) else dtype.name)
