"""How many examples Hypothesis draws: fewer before each change than in `make test-deep`."""

import os

IS_DEEP = os.environ.get("JAXEAGER_TEST_DEEP") == "1"


def examples(usual: int, deep: int) -> int:
    """Return the number of examples of this run."""
    return deep if IS_DEEP else usual
