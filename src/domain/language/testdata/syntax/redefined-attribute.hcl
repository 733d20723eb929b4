# An attribute can be set once.
a = 1
b = 2
a = 3
