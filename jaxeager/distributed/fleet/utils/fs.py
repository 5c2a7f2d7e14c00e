"""LocalFS: files and folders of this machine, under the names that Paddle's file systems have."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from jaxeager.errors import AlreadyExistsError, InvalidArgumentError, NotFoundError


class ExecuteError(Exception):
    """A command of a file system failed."""


class FSFileExistsError(AlreadyExistsError):
    """A file is there already."""


class FSFileNotExistsError(NotFoundError):
    """A file is not there."""


class FS:
    """What a file system can do; LocalFS is the one there is."""


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
        """Return the names of folders and of files in a folder; none when it is not there.

        Args:
            fs_path: the folder.
        """
        if not self.is_exist(fs_path):
            return [], []
        names = sorted(os.listdir(fs_path))
        folders = [name for name in names if os.path.isdir(os.path.join(fs_path, name))]
        return folders, [name for name in names if name not in folders]

    def list_dirs(self, fs_path: str) -> list[str]:
        """Return the names of folders in a folder; none when it is not there.

        Args:
            fs_path: the folder.
        """
        return self.ls_dir(fs_path)[0]

    def mkdirs(self, fs_path: str) -> None:
        """Make a folder and those above it.

        Args:
            fs_path: the folder.

        Raises:
            InvalidArgumentError: when there is a file of that name. (Paddle: AssertionError.)
        """
        if self.is_file(fs_path):
            raise InvalidArgumentError(f"{fs_path} is already a file")
        os.makedirs(fs_path, exist_ok=True)

    def rename(self, fs_src_path: str, fs_dst_path: str) -> None:
        """Give a file or folder another name.

        Args:
            fs_src_path: what it has.
            fs_dst_path: what it gets.
        """
        os.rename(fs_src_path, fs_dst_path)

    def delete(self, fs_path: str) -> None:
        """Delete a file, or a folder with all in it; nothing when it is not there.

        Args:
            fs_path: its path.
        """
        if self.is_file(fs_path):
            os.remove(fs_path)
        elif self.is_exist(fs_path):
            shutil.rmtree(fs_path)

    def need_upload_download(self) -> bool:
        """Says whether files must be fetched before they are read: no."""
        return False

    def is_file(self, fs_path: str) -> bool:
        """Says whether there is a file of that name."""
        return os.path.isfile(fs_path)

    def is_dir(self, fs_path: str) -> bool:
        """Says whether there is a folder of that name."""
        return os.path.isdir(fs_path)

    def is_exist(self, fs_path: str) -> bool:
        """Says whether there is a file or folder of that name."""
        return os.path.exists(fs_path)

    def touch(self, fs_path: str, exist_ok: bool = True) -> None:
        """Make an empty file.

        Args:
            fs_path: its path.
            exist_ok: leave one that is there as it is.

        Raises:
            FSFileExistsError: when it is there and ``exist_ok`` is False.
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
            src_path: where it is.
            dst_path: where it goes.
            overwrite: delete what is there first.
            test_exists: changes nothing here.

        Raises:
            FSFileNotExistsError: when it is not there.
            FSFileExistsError: when something is where it goes.
        """
        if not self.is_exist(src_path):
            raise FSFileNotExistsError(f"{src_path} is not there.")
        if overwrite and self.is_exist(dst_path):
            self.delete(dst_path)
        if self.is_exist(dst_path):
            raise FSFileExistsError(f"{dst_path} exists.")
        self.rename(src_path, dst_path)
