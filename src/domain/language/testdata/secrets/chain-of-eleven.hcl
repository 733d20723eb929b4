# One too many.
variable "v1" {
  type = string
  secret "env" {
    key = "START"
  }
}
variable "v2" {
  type = string
  secret "env" {
    key = "K_${var.v1}"
  }
}
variable "v3" {
  type = string
  secret "env" {
    key = "K_${var.v2}"
  }
}
variable "v4" {
  type = string
  secret "env" {
    key = "K_${var.v3}"
  }
}
variable "v5" {
  type = string
  secret "env" {
    key = "K_${var.v4}"
  }
}
variable "v6" {
  type = string
  secret "env" {
    key = "K_${var.v5}"
  }
}
variable "v7" {
  type = string
  secret "env" {
    key = "K_${var.v6}"
  }
}
variable "v8" {
  type = string
  secret "env" {
    key = "K_${var.v7}"
  }
}
variable "v9" {
  type = string
  secret "env" {
    key = "K_${var.v8}"
  }
}
variable "v10" {
  type = string
  secret "env" {
    key = "K_${var.v9}"
  }
}
variable "v11" {
  type = string
  secret "env" {
    key = "K_${var.v10}"
  }
}
