# One repository, several services. A commit builds only the services whose folder it changes; a change of what they
# share builds all of them. A new service is one word in the list.

variable "services" {
  type    = list(string)
  default = ["cart", "catalog", "payment"]
}

resource "git" "service" {
  for_each       = toset(var.services)
  check_interval = "@every 2m"

  params {
    url    = "https://git.example.org/team/shop.git"
    name   = "shop"
    branch = "main"
    paths  = "services/${each.key}, shared, go.mod"
  }
}

# The jobs are test--cart, test--catalog and test--payment.
job "test" {
  for_each = toset(var.services)

  get "git" {
    resource = "git.service--${each.key}"
    trigger  = true
  }

  task "test" {
    run "docker" {
      image = "docker.io/library/golang:1.26"
      cmd   = "cd shop/services/${each.key} && go test ./..."
    }
  }
}
