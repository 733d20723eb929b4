notification "email" "team" {
  on = ["changed"]
  params {
    host     = "smtp.example.org"
    username = "ci"
    password = "p"
    from     = "Millrace <ci@example.org>"
    to       = "a@example.org, B <b@example.org>"
  }
}
notification "webhook" "bus" {
  on = ["all"]
  params {
    url    = "https://events.example.org/in"
    secret = "s"
  }
}
