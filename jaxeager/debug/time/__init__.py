"""Where the time goes: a recorder of what runs, its tables and pictures, and no_compile."""
