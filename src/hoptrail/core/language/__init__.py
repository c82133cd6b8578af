"""Languages: which one a text is in, and its words, stems, stop words and sentence ends."""
