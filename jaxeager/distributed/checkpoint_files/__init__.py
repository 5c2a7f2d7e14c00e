"""Files of checkpoints: how they are written, read, and made into the tensors to fill.

``paddle_files.py`` writes and opens Paddle's own files (``paddle_reader.py`` reads them),
``orbax_files.py`` opens those of Orbax, and ``hub_files.py`` those of model hubs. Each reader
returns parts of tensors (``readers.py``), ``aoa/`` makes others of them, and ``filling.py`` writes
them into tensors.
"""
