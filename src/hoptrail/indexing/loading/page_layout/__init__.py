"""Where words stand on a page: columns, rows, cells, and the order in which they are read."""
