"""Archives of files that tests make up."""

import io
import tarfile


def archive(path, contents: dict[str, bytes]):
    """Write a tar archive of files by name, and return its path."""
    with tarfile.open(path, "w") as file:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            file.addfile(member, io.BytesIO(content))
    return path
