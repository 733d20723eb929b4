job "a" {
  get "git" "app" {
}
