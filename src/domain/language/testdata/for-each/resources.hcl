# A resource for each service, and a job for each that names its own by a template. Keys may be written as they are.
variable "services" {
  type    = map(string)
  default = { cart = "main", User_Service = "next" }
}
resource "git" "service" {
  for_each       = var.services
  check_interval = "@every 1m"
  params {
    url    = "http://git.example/${each.key}.git"
    name   = "src"
    branch = each.value
  }
}
resource "cron" "day" {}
resource "trigger" "built" {
  for_each = toset(["cart", "User_Service"])
}
job "unit" {
  for_each = var.services
  get "src" {
    resource = "git.service--${each.key}"
    trigger  = true
  }
  get "cron" "day" {}
  task "test" {
    run "shell" {
      cmd = "make -C src test REF=$GET_SRC_REF"
    }
    on_success {
      put {
        resource = "trigger.built--${each.key}"
        ref      = "$GET_SRC_REF"
      }
    }
  }
}
job "deploy" {
  for_each = var.services
  get {
    resource = "git.service--${each.key}"
    trigger  = true
    passed   = ["unit--${each.key}"]
  }
  if "branch" {
    condition = "$GET_SERVICE__${upper(each.key)}_REF != ''"
    task "never" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  put "pushed" {
    resource = "git.service--${each.key}"
    params {
      resource = "a parameter"
    }
  }
}
job "all" {
  get "git" "service--cart" {}
  put "trigger" "built--cart" {
    resource = "a parameter, as before there was such an attribute"
  }
}
