notification "email" "bad" {
  params {
    host = "smtp.example.org:25"
    port = "many"
    tls  = "ssl"
    from = "ci"
    to   = "a@example.org, b"
  }
}
notification "email" "open" {
  params {
    host     = "smtp.example.org"
    tls      = "none"
    username = "ci"
    password = "p"
    from     = "ci@example.org"
    to       = "a@example.org"
  }
}
notification "email" "half" {
  params {
    host     = "smtp.example.org"
    username = "ci"
    from     = "ci@example.org"
    to       = "a@example.org"
  }
}
notification "webhook" "bad" {
  params {
    url = "events.example.org"
  }
}
