"""paddle.utils.install_check: a check that everything works."""

from jaxeager.utils.requirements import run_check

__all__ = ["run_check"]
