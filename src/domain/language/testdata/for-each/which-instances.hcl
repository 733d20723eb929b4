# What is wrong with some instances names them; what is wrong with all of them is said once.
resource "git" "app" {
  for_each = toset(["api", "web"])
  check_interval = each.key == "web" ? "never" : "@daily"
  params {
    name = "app"
    url = each.key == "web" ? "file:///x" : "https://example.com/api.git"
  }
}
job "y" {
  for_each = {
    a = { p = "1", t = "5m", n = 1 }
    b = { q = "2", t = "ten", n = 0 }
    c = { p = "3", t = "ten", n = 0 }
    d = { p = "4", t = "1h", n = 2 }
  }
  timeout = each.value.t
  task "t" {
    attempts = 4 / each.value.n
    env = { P = each.value.p, Z = each.value.z }
    run "exec" {
      path = "true"
    }
  }
}
job "one" {
  for_each = toset(["only"])
  timeout = each.key
  task "t" {
    run "exec" {
      path = "true"
    }
  }
}
job "many" {
  for_each = toset(formatlist("i%d", range(200)))
  timeout = each.key == "i7" ? "soon" : "5m"
  task "t" {
    attempts = each.key == "i7" ? 1 : 0
    run "exec" {
      path = "true"
    }
  }
}
