"""The effects of importing jaxeager on the process."""

import pytest

from tests.support.processes import printed_by


@pytest.mark.parametrize("call", [pytest.param("enable", marks=pytest.mark.deep), "disable"])
def test_the_garbage_collector_is_left_as_it_was(call):
    code = f"import gc; gc.{call}(); import jaxeager; print(gc.isenabled())"
    assert printed_by(code).strip() == str(call == "enable")


def test_importing_the_package_imports_no_lazy_room_and_no_kernel():
    """Neither the lazy rooms nor a kernel of any op; each room is imported on first use."""
    code = """
import sys
from importlib import import_module
import jaxeager as paddle
names = {name.replace("jaxeager.legacy.", "jaxeager.") for name in sys.modules}
print([room for room in paddle.LAZY_ROOMS if f"jaxeager.{room}" in names])
from jaxeager.ops import row
print([name for name, op in row.ROWS.items() if op.forward_kernels])
rooms = {room: import_module(f"jaxeager.{room}") for room in paddle.LAZY_ROOMS}
print([room for room, module in rooms.items() if getattr(paddle, room) is not module])
"""
    assert printed_by(code).splitlines() == ["[]", "[]", "[]"]
