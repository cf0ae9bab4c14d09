"""What cells show, as nodes of a page: the records of checks and of figures, and the HTML of everything else."""
