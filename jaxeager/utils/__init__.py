"""paddle.utils: small things that layers, tools and programs share."""

from jaxeager.utils import dlpack, unique_name
from jaxeager.utils.deprecated import deprecated
from jaxeager.utils.requirements import require_version, run_check, try_import

__all__ = ["deprecated", "dlpack", "require_version", "run_check", "try_import", "unique_name"]
