"""The error tree: classes, builtins, messages."""

import pickle

import pytest

from jaxeager import errors

KINDS = {
    "InvalidArgument": ValueError, "InvalidType": TypeError, "OutOfRange": IndexError,
    "PermissionDenied": RuntimeError, "NotFound": RuntimeError, "AlreadyExists": RuntimeError,
    "PreconditionNotMet": RuntimeError, "Unavailable": RuntimeError,
    "Unimplemented": NotImplementedError, "Fatal": SystemError,
}  # fmt: skip


@pytest.mark.parametrize(("kind", "builtin"), KINDS.items())
def test_each_kind_is_its_builtin_and_says_so(kind, builtin):
    error = getattr(errors, f"{kind}Error")("what was wrong")
    assert isinstance(error, builtin)
    assert isinstance(error, errors.JaxEagerError)
    assert str(error) == f"({kind}) what was wrong"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))


def test_the_tree_in_the_docstring_is_whole():
    classes = [c for c in vars(errors).values() if isinstance(c, type)]
    assert all(c.__name__ in errors.__doc__ for c in classes)
