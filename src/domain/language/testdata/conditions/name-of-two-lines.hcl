job "a" {
  if "two\nlines" {
    condition = "a == a"
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "the attribute is wrong" {
    condition = "a"
    task "u" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
