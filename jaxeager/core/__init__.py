"""The base of the package: it knows no op, no tensor and no graph.

One file per noun: dtypes, places, flags (the table, and the tools they switch on), sizes that are
open, files of the user's own, and ``user_lines``, which finds the line of the user's program. The
errors are in jaxeager/errors.py, outside this folder, because users import them from there.
"""
