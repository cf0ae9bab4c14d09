"""Write formulas, scripts of live figures, and notebooks."""
