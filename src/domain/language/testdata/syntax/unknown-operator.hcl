# Operators of other languages.
a = 2 ** 3
b = 1 & 2
