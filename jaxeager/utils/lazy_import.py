"""paddle.utils.lazy_import: modules that may be missing."""

from jaxeager.utils.requirements import try_import

__all__ = ["try_import"]
