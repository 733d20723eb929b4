# A byte order mark is ignored.
a = 1
