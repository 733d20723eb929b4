# setproduct and for … if pick combinations.
job "test" {
  for_each = { for c in setproduct(["linux", "mac"], ["1", "2"]) : join("-", c) => { os = c[0], v = c[1] } if c[0] != "mac" || c[1] != "1" }
  task "t" {
    run "shell" {
      cmd = "${each.value.os} ${each.value.v}"
    }
  }
}
