# Millrace sets these variables itself, so there is nothing to pass on. It cannot pass on HOME.
notification_type "pager" {
  notify "docker" {
    image = "alpine"
    cmd   = "page"
    args  = ["-e", "NOTIFY_MESSAGE", "-e", "notify_urgency", "--env=param_room"]
  }
}
job "a" {
  task "t" {
    run "docker" {
      image = "alpine"
      cmd   = "true"
      args  = ["-e", "MILLRACE_OUTPUT", "-e", "MILLRACE_ID_TOKEN_AWS", "-e", "KNOWN_BRANCHES", "-e", "HOME"]
    }
  }
}
