# ${…} belongs to HCL.
job "a" {
  task "t" {
    run "shell" {
      cmd = "echo ${BUILD_NUMBER} ${1:-x}"
    }
  }
}
