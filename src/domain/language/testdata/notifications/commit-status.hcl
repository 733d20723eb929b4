notification "commit-status" "a" {
  on = ["all"]
  params {
    url      = "https://git.example.org/o/r.git"
    provider = "forge_c"
    token    = "t"
  }
}
notification "commit-status" "b" {
  params {
    repository = "group/part/r"
    provider   = "gitlab"
    token      = "t"
    context    = "ci"
  }
}
job "a" {
  notify "commit-status" "b" {
    state = "running"
  }
}
