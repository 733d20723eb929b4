job "test" {
  task "t" {
    run "shell" {
      cmd = <<-EOT
        curl -w '%{http_code} %{time_total}\n' https://example.com/
        date +"%{}"
      EOT
    }
  }
}
