# Variables of the environment have one spelling; what a script sets itself is its own.
job "a" {
  input "version" {
    type = string
  }
  input "dry_run" {
    type = bool
  }
  if "named" {
    condition = "$INPUT_VERSION != ''"
    task "t" {
      run "shell" {
        cmd = <<-EOT
          echo "$input_version $INPUT_VERSION $input_other"
          if [ "$${Input_Dry_Run}" = true ]; then exit; fi
        EOT
      }
      on_failure "exec" {
        path = "echo"
        args = ["$input_dry_run"]
      }
    }
  }
  task "own" {
    run "shell" {
      cmd = "input_version=$INPUT_VERSION; echo $input_version"
    }
  }
}
