variable "price" {
  type = string

  secret "kubernetes" {
    path = "price"
    key  = "value"
  }
}

# Pin the image to a version or a digest.
resource_type "mock" {
  protocol = "concourse"
  image    = "concourse/mock-resource"
}

resource "mock" "offer" {
  params {
    price   = "US${"$"}${var.price}"
    twice   = "${"$$"}${var.price}"
    percent = "100%${var.price}"
    own     = "$$${name}"
  }
}

job "count" {
  task "size" {
    # load_var size: the task fails if the value has several lines
    run "shell" {
      cmd = <<-SH
        value="$(sed 's/^[[:space:]]*//; s/[[:space:]]*$//' size.txt)"
        if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
          echo 'load_var size: the value has several lines, and a variable has one' >&2
          exit 1
        fi
        printf 'VALUE=%s\n' "$value" >>"$SVC_OUTPUT"
      SH
    }
  }

  task "loop" {
    env = {
      PRICE = "US${"$"}${var.price}"
    }

    run "shell" {
      # values of load_var between single quotes have no counterpart: there, the shell does not fill them in
      cmd = <<-SH
        export RUNNING='US$'"$${TASK_SIZE_VALUE}"
        n=1
        echo $((n + 1)) "$(( n*2 ))" $((n<<1))
        for ((i=0; i<3; i++)); do echo "$i"; done
        echo "US${"$"}${var.price}" "US\$$${TASK_SIZE_VALUE}" "US\$$${TASK_SIZE_VALUE}"
        echo 'in single quotes: $${TASK_SIZE_VALUE}'
      SH
    }
  }

  put "mock" "offer" {
    params {
      price = "US$$${TASK_SIZE_VALUE}"
    }
  }
}
