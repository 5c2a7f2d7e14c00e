"""Older rooms of Paddle, which programs reach as ``paddle.base``, ``paddle.reader`` and so on.

module_aliases.py has their names. New code has no place here.
"""
