"""Editions in other languages: what is translated beside the text of pages, how it is collected, what links them."""
