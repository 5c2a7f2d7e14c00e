"""Links and pictures in Markdown."""

import re
from collections.abc import Callable

_LINK = re.compile(r"(!?)\[([^\[\]]*)\]\(([^)\s]+)\)")


def relinked(text: str, link: Callable[[str, str, str], str]) -> str:
    """Return Markdown in which each link to a file is what a function returns.

    Args:
        text: Markdown. Links to addresses and within the page stay.
        link: its arguments are "!" for a picture and "" for a link, the words, and the target.
    """

    def replaced(match: re.Match) -> str:
        mark, words, target = match.groups()
        return match[0] if "://" in target or target.startswith("#") else link(mark, words, target)

    return _LINK.sub(replaced, text)
