"""local_map and LocalLayer: the checks run in a process with 8 devices."""

import pytest

from tests.support.on_devices import names_of, outcome

MODULE = "tests.distributed.mesh.checks_of_local_functions"


@pytest.mark.parametrize("name", names_of(MODULE))
def test_on_eight_devices(name):
    error = outcome(MODULE, name)
    assert not error, error
