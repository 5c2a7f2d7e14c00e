"""``python -m jaxeager``: ``import paddle`` gives jaxeager; missing names are explained."""
