# Deploys an image with helm: to staging at once, to production once somebody other than the person who started the
# build has approved.

variable "clusters" {
  type = map(string)
  default = {
    staging    = "https://staging.example.org:6443"
    production = "https://production.example.org:6443"
  }
}

variable "staging_token" {
  type = string

  secret "kubernetes" {
    path = "clusters"
    key  = "staging"
  }
}

variable "production_token" {
  type = string

  secret "kubernetes" {
    path = "clusters"
    key  = "production"
  }
}

resource "git" "chart" {
  check_interval = "@every 5m"

  params {
    url  = "https://git.example.org/team/chart.git"
    name = "chart"
  }
}

# Released versions, in their order. For version 2.0 or later, change this range.
resource "registry-image" "app" {
  check_interval = "@every 5m"

  params {
    repository = "registry.example.org/team/app"
    semver     = ">=1.4 <2"
  }
}

job "staging" {
  serial_groups = ["staging"]

  get "registry-image" "app" {
    trigger = true
  }

  get "git" "chart" {
    trigger = true
  }

  task "deploy" {
    env = {
      HELM_KUBEAPISERVER = var.clusters.staging
      HELM_KUBETOKEN     = var.staging_token
    }

    run "docker" {
      image = "docker.io/alpine/helm:3"
      cmd   = <<-EOT
        helm upgrade app chart --install --namespace app --atomic --wait \
          --set image.digest="$GET_APP_DIGEST" --set image.tag="$GET_APP_TAG"
      EOT
    }
  }
}

# Takes only what staging runs.
job "production" {
  serial_groups = ["production"]

  approve "deploy to production" {
    not_by_trigger = true
    timeout        = "24h"
  }

  get "registry-image" "app" {
    trigger = true
    passed  = ["staging"]
  }

  get "git" "chart" {
    passed = ["staging"]
  }

  task "deploy" {
    env = {
      HELM_KUBEAPISERVER = var.clusters.production
      HELM_KUBETOKEN     = var.production_token
    }

    run "docker" {
      image = "docker.io/alpine/helm:3"
      cmd   = <<-EOT
        helm upgrade app chart --install --namespace app --atomic --wait \
          --set image.digest="$GET_APP_DIGEST" --set image.tag="$GET_APP_TAG"
      EOT
    }
  }
}
