# Semicolons separate nothing.
a = 1;
