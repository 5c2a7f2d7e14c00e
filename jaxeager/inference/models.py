"""The files of a model, by the names that programs for Paddle use."""

from __future__ import annotations

import glob
import os

from jaxeager.errors import InvalidArgumentError, NotFoundError, PreconditionNotMetError
from jaxeager.jit.saved_model.files import PROGRAM, SIGNATURE, not_there

_ENDINGS = (SIGNATURE, PROGRAM, ".pdmodel", ".json", ".pdiparams")


def model_of(folder: str, program: str) -> tuple[str, str]:
    """Return the path that a model was saved under, and the name of its method.

    Args:
        folder: a folder with one model, or such a path itself; "" when a program is named.
        program: the file of a program, under Paddle's name or that of ``paddle.jit.save``.

    Raises:
        PreconditionNotMetError: when neither is passed.
        NotFoundError: when there is no such model.
        InvalidArgumentError: when the folder has several.
    """
    if not folder and not program:
        raise PreconditionNotMetError("The Config names no model: Config(program, parameters).")
    prefix = _prefix(folder, program)
    if os.path.isfile(prefix + SIGNATURE):
        return prefix, "forward"
    whole, _, method = prefix.rpartition(".")  # "net.infer", as Paddle names the file of a method
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
