notification "commit-status" "nowhere" {
  params {
    token = "t"
  }
}
notification "commit-status" "twice" {
  params {
    url        = "https://github.com/o/r"
    repository = "o/r"
    token      = "t"
  }
}
notification "commit-status" "unknown-forge" {
  params {
    url   = "https://git.example.org/o/r"
    token = "t"
  }
}
notification "commit-status" "no-host" {
  params {
    repository = "o/r"
    provider   = "gitea"
    token      = "t"
  }
}
notification "commit-status" "bad" {
  params {
    url      = "https://token@github.com/o/r"
    provider = "svn"
  }
}
notification "commit-status" "up" {
  params {
    repository = "../r"
    provider   = "github"
    token      = "t"
  }
}
