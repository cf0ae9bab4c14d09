"""What figures share: their style, the checks of their arguments, and the machinery of live figures."""
