"""The paths of files, for tables and messages."""

import os


def shorter_path(file: str) -> str:
    """Return a file's path relative to the working directory where that is shorter.

    Example:
        >>> import os
        >>> shorter_path(os.path.abspath("models/net.py")), shorter_path("/net.py")
        ('models/net.py', '/net.py')
    """
    return min(os.path.relpath(file), file, key=len) if file else file
