"""What other rooms add to the answer of ``python -m jaxeager attach``."""

from collections.abc import Callable

sections: list[Callable[[], list[str]]] = []  # functions that return lines
