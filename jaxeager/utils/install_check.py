"""paddle.utils.install_check: whether everything works."""

from jaxeager.utils.requirements import run_check

__all__ = ["run_check"]
