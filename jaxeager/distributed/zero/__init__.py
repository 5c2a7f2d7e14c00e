"""Parameters that the processes of a group share: each updates some (owners), or has a piece."""
