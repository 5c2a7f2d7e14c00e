"""paddle.utils.deprecated."""

import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError
from jaxeager.utils.deprecated import VisibleDeprecationWarning


def fresh():
    """Return a function whose documentation may change."""

    def copied(x):
        """Adds."""
        return x + 1

    return copied


def test_the_documentation_says_so():
    made = paddle.utils.deprecated("paddle.add", "2.0", "it is old")(fresh())
    assert 'since 2.0, and will be removed in future versions. Please use "paddle.add"' in (
        made.__doc__
    )
    assert "Reason: it is old" in made.__doc__
    assert made.__doc__.endswith("Adds.")
    assert made(1) == 2


def test_each_call_warns():
    made = paddle.utils.deprecated(level=1)(fresh())
    for _ in range(2):
        with pytest.warns(VisibleDeprecationWarning, match="is deprecated, and will be removed"):
            assert made(1) == 2


def test_no_call_works():
    made = paddle.utils.deprecated(level=2, reason="it is gone")(fresh())
    with pytest.raises(PreconditionNotMetError, match="has been deprecated"):
        made(1)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"level": 3}, "must be one of 0, 1, 2"),
        ({"update_to": "add"}, 'must start with "paddle."'),
        ({"since": 2}, 'type of "since" must be str'),
    ],
)
def test_wrong_arguments(options, text):
    with pytest.raises(InvalidArgumentError, match=text):
        paddle.utils.deprecated(**options)
