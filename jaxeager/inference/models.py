"""Where the files of a model are, by the names that programs for Paddle give."""

from __future__ import annotations

import glob
import os

from jaxeager.errors import InvalidArgumentError, NotFoundError, PreconditionNotMetError
from jaxeager.jit.saved_model.files import PROGRAM, SIGNATURE, not_there

_ENDINGS = (SIGNATURE, PROGRAM, ".pdmodel", ".json", ".pdiparams")


def model_of(folder: str, program: str) -> tuple[str, str]:
    """Return the path that a model was saved under, and the method that is meant.

    Args:
        folder: a folder with one model, or such a path itself; "" when a program is named.
        program: the file of a program, as Paddle or ``paddle.jit.save`` would call it.

    Raises:
        PreconditionNotMetError: when neither is given.
        NotFoundError: when there is no such model.
        InvalidArgumentError: when the folder has several.
    """
    if not folder and not program:
        raise PreconditionNotMetError("The Config names no model: Config(program, parameters).")
    prefix = _prefix(folder, program)
    if os.path.isfile(prefix + SIGNATURE):
        return prefix, "forward"
    whole, _, method = prefix.rpartition(".")  # "net.infer", as Paddle names a method's file
    if whole and os.path.isfile(whole + SIGNATURE):
        return whole, method
    raise NotFoundError(
        f"Cannot open file {program or folder}, please confirm whether the file is normal. "
        f"{not_there(prefix)}"
    )


def _prefix(folder: str, program: str) -> str:
    if program:
        ending = next((each for each in _ENDINGS if program.endswith(each)), "")
        return program.removesuffix(ending)
    found = glob.glob(os.path.join(glob.escape(folder), f"*{SIGNATURE}"))
    if len(found) > 1:
        raise InvalidArgumentError(f"There are {len(found)} models in {folder}: name one of them.")
    return found[0].removesuffix(SIGNATURE) if found else folder
