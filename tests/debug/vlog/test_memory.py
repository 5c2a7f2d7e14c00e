"""The lines of a verbose log about memory: allocated, freed, copied."""

import re

import pytest

import jaxeager as paddle
from jaxeager.base.framework import vlog_guard
from tests.support.here import PLACE

pytestmark = pytest.mark.usefixtures("untouched")


def lines(capfd, module):
    """Return the messages of a module."""
    return re.findall(rf"^[IW]\d{{4}} .* {module}\.cc:\d+\] (.*)$", capfd.readouterr().err, re.M)


def test_memory_is_freed_at_the_address_where_it_was_allocated(capfd):
    with vlog_guard({"stream_safe_cuda_allocator": 9}):
        x = paddle.ones([6])
        x.exp()
    found = lines(capfd, "stream_safe_cuda_allocator")
    allocated = [re.search(r"Allocate (\d+) bytes at address (0x\w+)  , stream", x) for x in found]
    sizes = {each[2]: each[1] for each in allocated if each}
    assert list(sizes.values()) == ["24", "24"]
    freed = [line.split()[-1] for line in found if line.startswith("Try free allocation")]
    assert freed == [list(sizes)[1]]
    assert found[-1] == "Directly delete allocation"


def test_backward_allocates_too(capfd):
    x = paddle.ones([6])
    x.stop_gradient = False
    loss = x.exp().sum()
    with vlog_guard({"stream_safe_cuda_allocator": 8}):
        loss.backward()
    found = lines(capfd, "stream_safe_cuda_allocator")
    assert sum("Allocate 24 bytes" in line for line in found) >= 1
    assert "Directly delete allocation" not in found


def test_copies_to_and_from_the_host(capfd):
    with vlog_guard({"memcpy": 4}):
        paddle.to_tensor([1.0, 2.0]).numpy()
    assert lines(capfd, "memcpy") == [
        f"memory::Copy 8 Bytes from Place(cpu) to {PLACE}",
        f"memory::Copy 8 Bytes from {PLACE} to Place(cpu)",
    ]
