"""Fixtures of these tests: no compilation of an earlier test is running; a folder of kernels."""

import pytest

from jaxeager.kernels import kernel_files
from jaxeager.kernels.lazy import mode
from tests.support.compile_threads import wait_for_threads


@pytest.fixture(autouse=True)
def _nothing_is_compiled():
    """Wait for what the threads of lazy mode compile."""
    if mode.is_installed:
        wait_for_threads()


@pytest.fixture
def folder(tmp_path):
    """Keep the kernels of a test in a folder of its own; yield the folder."""
    before = kernel_files._folder
    kernel_files.set_folder(tmp_path / "kernels")
    yield tmp_path / "kernels"
    kernel_files.set_folder(before)
