# One number to HCL, and none.
a = 1e1e1000
