"""The error tree: classes, builtins, messages."""

import copy
import pickle

import pytest

from jaxeager import errors

KINDS = {
    "InvalidArgument": ValueError, "InvalidType": TypeError, "OutOfRange": IndexError,
    "PermissionDenied": RuntimeError, "NotFound": RuntimeError, "AlreadyExists": RuntimeError,
    "PreconditionNotMet": RuntimeError, "Unavailable": RuntimeError,
    "Unimplemented": NotImplementedError, "Fatal": SystemError, "External": OSError,
}  # fmt: skip


@pytest.mark.parametrize(("kind", "builtin"), KINDS.items())
def test_each_kind_of_error_is_a_builtin_one_and_names_its_kind(kind, builtin):
    error = getattr(errors, f"{kind}Error")("what was wrong")
    assert isinstance(error, builtin)
    assert isinstance(error, errors.JaxEagerError)
    assert str(error) == f"({kind}) what was wrong"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))


def test_the_tree_in_the_docstring_is_whole():
    classes = [c for c in vars(errors).values() if isinstance(c, type)]
    assert all(c.__name__ in errors.__doc__ for c in classes)


class OfAUser(errors.InvalidArgumentError):
    """An error class of a user that does not take a message."""

    def __init__(self, name, value):
        self.name = name
        super().__init__(f"{name} is {value}")


@pytest.mark.parametrize("copied", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_a_copy_has_the_notes_and_needs_no_arguments(copied):
    error = OfAUser("x", 3)
    error.add_note("seen at step 7")
    again = copied(error)
    assert str(again) == "(InvalidArgument) x is 3"
    assert (again.name, again.message, again.__notes__) == ("x", "x is 3", ["seen at step 7"])
