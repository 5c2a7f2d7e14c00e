"""The escapes of text that Python 2 wrote, those of its literals."""

import re

from jaxeager.framework.restricted_pickle.damage import Damage

_ESCAPE = re.compile(rb"\\(?:([\\'\"nrtabfv])|x([0-9a-fA-F]{2})|([0-7]{1,3})|(.?))", re.DOTALL)
_ESCAPES = dict(zip(b"\\'\"nrtabfv", b"\\'\"\n\r\t\a\b\f\v", strict=True))


def unescaped(text: bytes) -> bytes:
    """Return text with its escapes replaced by the bytes that they represent.

    Raises:
        Damage: for an escape that Python 2 does not write.
    """
    return _ESCAPE.sub(_byte_of, text)


def _byte_of(match: re.Match) -> bytes:
    """Return the byte that an escape represents."""
    letter, hexadecimal, octal, other = match.groups()
    if other is not None:
        raise Damage(f"it has the escape {match[0]!r} in text")
    if letter:
        return bytes([_ESCAPES[letter[0]]])
    code = int(hexadecimal, 16) if hexadecimal else int(octal, 8)
    if code > 255:
        raise Damage(f"it has the escape {match[0]!r} in text")
    return bytes([code])
