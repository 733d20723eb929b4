variable "cloud" {
  type    = string
  default = "api://AzureADTokenExchange"
}
job "deploy" {
  identity { audience = var.cloud }
  identity "vault" { audience = "https://vault.test" }
  identity "my-cloud" { audience = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ci/providers/ci" }
  task "push" {
    run "shell" { cmd = "true" }
  }
}
