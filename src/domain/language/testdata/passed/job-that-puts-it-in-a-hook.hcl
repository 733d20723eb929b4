# A hook's put makes a version too: of a task, of a job, of a parallel group, and of a step in a branch.
resource_type "store" {
  params = ["bucket"]
  check "shell" {
    cmd = "list"
  }
  push "shell" {
    cmd = "upload"
  }
}
resource "store" "out" {}
job "task" {
  task "t" {
    run "shell" {
      cmd = "make"
    }
    on_success {
      put "store" "out" {}
    }
  }
}
job "job" {
  task "t" {
    run "shell" {
      cmd = "make"
    }
  }
  ensure {
    put "store" "out" {}
  }
}
job "group" {
  in_parallel {
    task "t" {
      run "shell" {
        cmd = "make"
      }
    }
    on_success {
      put "store" "out" {}
    }
  }
}
job "branch" {
  if "$BUILD_NUMBER > 1" {
    task "t" {
      run "shell" {
        cmd = "make"
      }
      on_success {
        put "store" "out" {}
      }
    }
  }
}
job "b" {
  get "store" "out" {
    passed = ["task", "job", "group", "branch"]
  }
}
