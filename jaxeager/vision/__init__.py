"""paddle.vision: models, transforms, datasets and operations for images."""

from jaxeager.vision import models, ops
