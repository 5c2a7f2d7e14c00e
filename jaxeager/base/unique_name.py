"""paddle.base.unique_name: names that nothing else has."""

from jaxeager.utils.unique_name import UniqueNameGenerator, generate, guard, switch

__all__ = ["UniqueNameGenerator", "generate", "guard", "switch"]
