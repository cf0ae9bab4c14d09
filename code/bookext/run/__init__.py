"""Execute the cells of chapters, keep their outputs, and put what they computed into sentences."""
