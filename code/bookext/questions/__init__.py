"""Ask the reader: questions of a page, those of the whole book, and course-work."""
