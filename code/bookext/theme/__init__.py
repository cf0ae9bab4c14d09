"""Make the theme's pages readable by everyone and light to load, and say what each page is."""
