# Lines may end as on Windows.
a = 1
b {
  c = "x"
}
