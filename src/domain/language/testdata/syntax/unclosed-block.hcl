# The unclosed block is named, not the end of the file alone.
job "a" {
  get "git" "x" {
    trigger = true
}
