# A string ends on its line.
a = "x
b = 1
