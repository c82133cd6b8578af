"""Small files of one difficulty each, with questions."""
