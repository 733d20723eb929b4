# One text may hold a definition of each kind.
notification_type "pager" {
  source = "https://types.example/all.hcl"
}
service_type "db" {
  source = "https://types.example/all.hcl"
}
secret_type "safe" {
  source = "https://types.example/all.hcl"
  folder = "ci"
}
runner_type "fast" {
  source = "https://types.example/all.hcl"
}
variable "key" {
  type = string
  secret "safe" {
    key = "pager"
  }
}
notification "pager" "p" {
  params {
    key = var.key
  }
}
job "a" {
  service "db" {}
  task "t" {
    run "fast" {
      args = ["x"]
    }
  }
}
