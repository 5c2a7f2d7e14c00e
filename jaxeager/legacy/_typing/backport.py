"""paddle._typing.backport: what older versions of Python lack."""

from types import EllipsisType

__all__ = ["EllipsisType"]
