# Quotes of a word processor are not quotes.
a = “x”
