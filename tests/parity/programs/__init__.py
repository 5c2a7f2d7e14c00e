"""The programs, one file a family; `registry.load_programs` imports them all."""
