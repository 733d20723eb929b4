job "a" {
  if "prod" {
    condition = $INPUT_ENV == "prod"
  }
}
