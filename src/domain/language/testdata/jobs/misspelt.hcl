job "a" {
  concurency = 1
  timout = "1m"
  taks "t" {}
}
