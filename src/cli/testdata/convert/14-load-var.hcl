variable "stage" {
  type = string

  secret "kubernetes" {
    path = "stage"
    key  = "value"
  }
}

resource "git" "app" {
  check_interval = "@every 1m"

  params {
    name       = "app"
    url        = "https://git.example.org/app.git"
    submodules = true
  }
}

job "read" {
  get "git" "app" {}

  task "folder" {
    # load_var folder: the task fails if the value has several lines
    run "shell" {
      cmd = <<-SH
        value="$(sed 's/^[[:space:]]*//; s/[[:space:]]*$//' app/folder.txt)"
        if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
          echo 'load_var folder: the value has several lines, and a variable has one' >&2
          exit 1
        fi
        printf 'VALUE=%s\n' "$value" >>"$SVC_OUTPUT"
      SH
    }
  }

  task "raw" {
    # load_var raw: the task fails if the value has several lines
    # format: raw has no counterpart: the value loses line ends at its end
    run "shell" {
      cmd = <<-SH
        value="$(cat app/raw.txt)"
        if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
          echo 'load_var raw: the value has several lines, and a variable has one' >&2
          exit 1
        fi
        printf 'VALUE=%s\n' "$value" >>"$SVC_OUTPUT"
      SH
    }
  }

  task "all" {
    # load_var all: the task fails if the value has several lines
    run "shell" {
      cmd = <<-SH
        value="$(jq -r '. | if . == null then error("there is no value") else tostring end' app/all.json)"
        if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
          echo 'load_var all: the value has several lines, and a variable has one' >&2
          exit 1
        fi
        printf 'VALUE=%s\n' "$value" >>"$SVC_OUTPUT"
      SH
    }
  }

  task "facts" {
    # load_var facts: the task fails if the value has several lines
    run "shell" {
      cmd = <<-SH
        value="$(jq -r '."version" | if . == null then error("there is no value") else tostring end' app/facts.json)"
        if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
          echo 'load_var facts: the value has several lines, and a variable has one' >&2
          exit 1
        fi
        printf 'VERSION=%s\n' "$value" >>"$SVC_OUTPUT"
        value="$(jq -r '."author"."name" | if . == null then error("there is no value") else tostring end' app/facts.json)"
        if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
          echo 'load_var facts: the value has several lines, and a variable has one' >&2
          exit 1
        fi
        printf 'AUTHOR_NAME=%s\n' "$value" >>"$SVC_OUTPUT"
      SH
    }
  }

  task "other" {
    # load_var other: the task fails if the value has several lines
    env = {
      ARG_STAGE = var.stage
    }

    run "shell" {
      cmd = <<-SH
        value="$(sed 's/^[[:space:]]*//; s/[[:space:]]*$//' app/"$${TASK_FOLDER_VALUE}"'/it'\''s '"$ARG_STAGE".txt)"
        if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
          echo 'load_var other: the value has several lines, and a variable has one' >&2
          exit 1
        fi
        printf 'VALUE=%s\n' "$value" >>"$SVC_OUTPUT"
      SH
    }
  }

  task "print" {
    run "shell" {
      cmd = "echo \"$${TASK_RAW_VALUE}\" \"$${TASK_ALL_VALUE}\" \"$${TASK_FACTS_VERSION}\" \"$${TASK_FACTS_AUTHOR_NAME}\" \"$${TASK_OTHER_VALUE}\""
    }
  }

  in_parallel {
    limit     = 1
    fail_fast = true
    timeout   = "10m"

    task "inner" {
      # load_var inner: the task fails if the value has several lines
      # load_var inner has no counterpart in a group: only steps after the group see the value
      run "shell" {
        cmd = <<-SH
          value="$(sed 's/^[[:space:]]*//; s/[[:space:]]*$//' app/inner.txt)"
          if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
            echo 'load_var inner: the value has several lines, and a variable has one' >&2
            exit 1
          fi
          printf 'VALUE=%s\n' "$value" >>"$SVC_OUTPUT"
        SH
      }
    }

    task "late" {
      run "shell" {
        cmd = "echo \"$${TASK_INNER_VALUE}\""
      }
    }
  }
}
