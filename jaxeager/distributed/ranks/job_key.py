"""The secret by which processes of one job authenticate each other.

Note [The key of a job]
    A pickle can run any code, so a process accepts pickles only from processes that know the key of
    its job. The launchers draw one for each job and pass it on in JAXEAGER_JOB_KEY, which no other
    user of the machine can read in a process's environment. Processes on one machine that were
    started in another way use the key of their user: random text in a file that only this user can
    read (``rpc.key`` in the folder ``jaxeager`` of the user's cache), created on first use. Across
    machines JAXEAGER_JOB_KEY must be set.
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import secrets
from pathlib import Path

from jaxeager.core import own_files
from jaxeager.errors import PreconditionNotMetError

VARIABLE = "JAXEAGER_JOB_KEY"
_FILE, _MOST_BYTES = "rpc.key", 1024


def is_of_this_machine(host: str) -> bool:
    """Return whether an address can be reached from this machine only."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:  # a name, which may be of any machine: 127.example.com
        return False


def job_key(host: str) -> bytes:
    """Return the key of this process's job: see Note [The key of a job].

    Args:
        host: the address where processes of the job meet.

    Raises:
        PreconditionNotMetError: when there is no key, and the file cannot be created or can be read
            by other users; and when processes of other machines could connect.
    """
    given = os.environ.get(VARIABLE, "")
    if given:
        return hashlib.sha256(given.encode()).digest()
    if not is_of_this_machine(host):
        raise PreconditionNotMetError(
            f"Processes meet at {host}, where anyone could send functions to run. Set {VARIABLE} "
            "to the same long random text for all processes, such as the output of "
            "`python -c 'import secrets; print(secrets.token_hex())'`; the launcher does so on one "
            "machine."
        )
    folder = _folder()
    try:
        why = own_files.why_not(folder)
        if why:
            raise own_files.NotOwn(why)
        with own_files.opened(folder) as opened:
            return hashlib.sha256(_read(opened)).digest()
    except OSError as error:
        raise PreconditionNotMetError(
            f"Processes of one machine identify each other by a key in {folder / _FILE}, which "
            f"only this user may read and write, but {error}. Fix that, name another folder in "
            f"XDG_CACHE_HOME, or set {VARIABLE} to the same long random text for all processes."
        ) from error


def _read(folder: own_files.Folder) -> bytes:
    try:
        found = folder.read(_FILE, _MOST_BYTES, is_secret=True)
    except FileNotFoundError:
        folder.write_first(_FILE, secrets.token_hex(32).encode())
        found = folder.read(_FILE, _MOST_BYTES, is_secret=True)
    if len(found) < 32:
        raise OSError(f"it has {len(found)} bytes, but a key has at least 32")
    return found


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base).absolute() / "jaxeager"
