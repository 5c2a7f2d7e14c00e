"""LocalFS: files and folders of this machine, with the methods of Paddle's file systems."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from jaxeager.errors import AlreadyExistsError, InvalidArgumentError, NotFoundError


class ExecuteError(Exception):
    """A command of a file system failed."""


class FSFileExistsError(AlreadyExistsError):
    """A file already exists."""


class FSFileNotExistsError(NotFoundError):
    """A file does not exist."""


class FS:
    """The base of file systems; LocalFS is the only one."""


class LocalFS(FS):
    """Files and folders of this machine.

    Example:
        >>> import jaxeager as paddle, tempfile
        >>> files, folder = paddle.distributed.fleet.utils.LocalFS(), tempfile.mkdtemp()
        >>> files.mkdirs(f"{folder}/runs")
        >>> files.touch(f"{folder}/log.txt")
        >>> files.ls_dir(folder)
        (['runs'], ['log.txt'])
        >>> files.delete(folder)
    """

    def ls_dir(self, fs_path: str) -> tuple[list[str], list[str]]:
        """Return the names of folders and of files in a folder; none if it does not exist.

        Args:
            fs_path: the folder.
        """
        if not self.is_exist(fs_path):
            return [], []
        names = sorted(os.listdir(fs_path))
        folders = [name for name in names if os.path.isdir(os.path.join(fs_path, name))]
        return folders, [name for name in names if name not in folders]

    def list_dirs(self, fs_path: str) -> list[str]:
        """Return the names of folders in a folder; none if it does not exist.

        Args:
            fs_path: the folder.
        """
        return self.ls_dir(fs_path)[0]

    def mkdirs(self, fs_path: str) -> None:
        """Create a folder and its parents.

        Args:
            fs_path: the folder.

        Raises:
            InvalidArgumentError: when there is a file of that name. (Paddle: AssertionError.)
        """
        if self.is_file(fs_path):
            raise InvalidArgumentError(f"{fs_path} is already a file")
        os.makedirs(fs_path, exist_ok=True)

    def rename(self, fs_src_path: str, fs_dst_path: str) -> None:
        """Rename a file or folder.

        Args:
            fs_src_path: the old path.
            fs_dst_path: the new path.
        """
        os.rename(fs_src_path, fs_dst_path)

    def delete(self, fs_path: str) -> None:
        """Delete a file, or a folder with its content; do nothing if it does not exist.

        Args:
            fs_path: the path.
        """
        if self.is_file(fs_path):
            os.remove(fs_path)
        elif self.is_exist(fs_path):
            shutil.rmtree(fs_path)

    def need_upload_download(self) -> bool:
        """Return whether files must be downloaded before they are read: always False."""
        return False

    def is_file(self, fs_path: str) -> bool:
        """Return whether there is a file at a path."""
        return os.path.isfile(fs_path)

    def is_dir(self, fs_path: str) -> bool:
        """Return whether there is a folder at a path."""
        return os.path.isdir(fs_path)

    def is_exist(self, fs_path: str) -> bool:
        """Return whether there is a file or folder at a path."""
        return os.path.exists(fs_path)

    def touch(self, fs_path: str, exist_ok: bool = True) -> None:
        """Create an empty file.

        Args:
            fs_path: the path.
            exist_ok: leave an existing file unchanged.

        Raises:
            FSFileExistsError: when it exists and ``exist_ok`` is False.
        """
        if self.is_exist(fs_path):
            if not exist_ok:
                raise FSFileExistsError(f"{fs_path} exists.")
            return
        Path(fs_path).touch()

    def mv(
        self, src_path: str, dst_path: str, overwrite: bool = False, test_exists: bool = False
    ) -> None:
        """Move a file or folder.

        Args:
            src_path: the old path.
            dst_path: the new path.
            overwrite: whether to delete an existing target first.
            test_exists: has no effect here.

        Raises:
            FSFileNotExistsError: when the source does not exist.
            FSFileExistsError: when the target exists.
        """
        if not self.is_exist(src_path):
            raise FSFileNotExistsError(f"{src_path} does not exist.")
        if overwrite and self.is_exist(dst_path):
            self.delete(dst_path)
        if self.is_exist(dst_path):
            raise FSFileExistsError(f"{dst_path} exists.")
        self.rename(src_path, dst_path)
