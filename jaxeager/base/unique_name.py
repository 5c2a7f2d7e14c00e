"""paddle.base.unique_name: unique names."""

from jaxeager.utils.unique_name import UniqueNameGenerator, generate, guard, switch

__all__ = ["UniqueNameGenerator", "generate", "guard", "switch"]
