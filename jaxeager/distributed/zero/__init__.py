"""Parameters whose updates (owners) or pieces (slices) the processes of a group share."""
