"""Help the reader find the way: the map, results, the glossary, the search, the package, the time a page takes."""
