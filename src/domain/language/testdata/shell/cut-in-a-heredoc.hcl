job "test" {
  task "t" {
    run "shell" {
      cmd = <<-EOT
        version=${TAG#v}
        echo "$version"
        curl 'https://example.com/'
      EOT
    }
  }
}
