"""What looks for transfers finds them; functions that have to read values are known."""

import numpy as np
import pytest

import jaxeager as paddle
from tests.support.transfers import no_transfers

READERS = {
    "numpy": lambda x: x.numpy(),
    "item": lambda x: x.sum().item(),
    "float": lambda x: float(x.sum()),
    "bool": lambda x: bool((x > 0).all()),
    "tolist": lambda x: x.tolist(),
    "print": repr,
    "index": lambda x: [1, 2, 3][x.argmax()],
    "asarray": np.asarray,
}


@pytest.mark.parametrize("name", READERS)
def test_a_read_is_found(name):
    x = paddle.to_tensor([1.0, 2.0])
    READERS[name](x)
    with pytest.raises(AssertionError, match="reads what is on the device"), no_transfers():
        READERS[name](x)


def test_an_upload_that_nobody_asked_for_is_found():
    x = paddle.to_tensor([1.0, 2.0])
    with pytest.raises(Exception, match="Disallowed host-to-device"), no_transfers():
        x._array + np.ones(2)
