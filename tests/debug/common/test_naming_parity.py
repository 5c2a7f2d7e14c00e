"""With FLAGS_enable_unique_name tensors, nodes and gradients have Paddle's names."""

import json

import pytest

from tests.debug import named_calls
from tests.debug.conftest import run_here
from tests.debug.corpus import PROGRAMS
from tests.parity.questions import paddle_says
from tests.support.often import some

RECORDED_TOOLS = ("names",)
CALLS = named_calls.CALLS.split("\n")[1:-1]

_PYLAYER = "Paddle calls a gradient that a PyLayer's backward made after the last op in there"
KNOWN = {"a_pylayer": _PYLAYER, "a_pylayer_with_two_outputs": _PYLAYER}

_COMPOSED = "Paddle composes it of many small ops, each with a counter; here it is one or few"
_UNNAMED = "Paddle calls the gradient of a tensor made while the flag was off just @Grad"
_WRITTEN = "Paddle leaves the written tensor without a name"
_CONSTANT = "a gradient that does not depend on the input is a constant here, in Paddle an op's"
KNOWN_CALLS = {
    "paddle.grad((w + w.detach()).sum(), w, create_graph=True)": _CONSTANT,
    "paddle.grad((w * 3).sum(), w, create_graph=True)": _CONSTANT,
    "F.cross_entropy(n, i)": "Paddle masks ignored labels with ops whose result it does not use",
    "n.var()": _COMPOSED,
    "n.std()": _COMPOSED,
    "paddle.quantile(n, 0.5)": _COMPOSED,
    "paddle.linalg.pinv(w)": _COMPOSED,
    "[b.__setitem__((slice(None), i), 1.0), b][1]": _WRITTEN,
    "[b.__setitem__(b > 0, 0.0), b][1]": _WRITTEN,
    "paddle.grad(q.exp().sum(), q)": _UNNAMED,
    "paddle.grad(q.exp().sum(), q, create_graph=True)": _UNNAMED,
    "paddle.grad(paddle.grad(q.tanh().sum(), q, create_graph=True)[0].sum(), q)": _UNNAMED,
    "[(q * q).sum().backward(), q.grad][1]": _UNNAMED,
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_name_what_they_make_as_in_paddle(recorded, program):
    folders = recorded("names")
    ours, theirs = (json.loads((each / program / "names.json").read_text()) for each in folders)
    if program in KNOWN:
        assert ours != theirs, "no longer a difference"
    else:
        assert ours == theirs


@pytest.fixture(scope="module")
def names_of_calls(request):
    """Return the names of the calls of named_calls.py that are tested, ours and Paddle's."""
    items = [
        each
        for each in request.session.items
        if "names_of_calls" in getattr(each, "fixturenames", ())
    ]
    numbers = sorted({CALLS.index(each.callspec.params["call"]) for each in items})
    done = run_here("some_named_calls.py", *numbers)
    theirs = paddle_says("names_of_calls")["stdout"]
    return [json.loads(out.splitlines()[-1]) for out in (done.stdout, theirs)]


# Every third one, and the differences: each kernel of a call is compiled for this alone.
@pytest.mark.parametrize(
    "call", some(CALLS, lambda call, place: place % 3 == 0 or call in KNOWN_CALLS)
)
def test_calls_name_what_they_make_as_in_paddle(names_of_calls, call):
    ours, theirs = (each[call] for each in names_of_calls)
    if call in KNOWN_CALLS:
        assert ours != theirs, "no longer a difference"
    else:
        assert ours == theirs
