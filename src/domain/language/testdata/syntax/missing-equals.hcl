# The place of the error is where the equals sign should be.
job "a" {
  trigger true
}
