# The tree keeps what has no value.
a = 1 / 0
