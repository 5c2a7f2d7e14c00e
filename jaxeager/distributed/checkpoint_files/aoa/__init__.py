"""Paddle's language that renames, cuts and joins the tensors of a checkpoint: ``aoa_config``.

Note [Conversions of checkpoints]
    A configuration is ``{"aoa_statements": [...]}``. Each statement makes tensors of others:

    - ``a -> b``: another name. ``a -> _``: ``a`` is not used. ``_ -> b``: ``b`` keeps its values.
    - ``a, b -> c, axis=0`` joins, and ``a -> b, c, axis=0`` cuts into equal parts.
    - ``a^T -> b`` reverses the axes; ``a -> b, permute="[1,0]"`` orders them.
    - ``a -> b, dtype="bfloat16"`` casts; a name may be on both sides.
    - ``q, k, v -> qkv, fused_qkv, num_heads=8, num_key_value_groups=4`` puts the heads of each
      group next to each other; ``fused_qkv_old`` and ``fused_ffn`` put the three, or gate and up,
      of each process next to each other. From one name to several they do the opposite. The axis
      is 1 unless it is given.
    - ``$LAYER_ID``, ``$EXPERT_ID``: one statement for each number that the names of the checkpoint
      have there; with ``$LAYER_ID_OFFSET`` the right side is one less. ``a.*.w`` is the list of all
      such names, ``a[0:3]`` is ``a_0, a_1, a_2``.

    With ``"aoa_config_reverse": True`` they run from the last to the first, each from right to
    left.

    ``statements.py`` reads them, ``expansion.py`` and ``fused.py`` rewrite them as statements with
    at most one of the attributes ``axis``, ``permute`` and ``dtype``, and ``conversion.py`` runs
    those on descriptions of tensors (``values.py``). Nothing is read until a part of a result is
    asked for, and then only what that part needs (``converted_reader.py``). States of an optimizer
    (``name.moment1_0``) are made as their weights are, without casts.
"""
