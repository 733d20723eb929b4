# What must be fetched first is asked for; all at once, and other errors beside it.
resource_type "feed" {
  source = "https://types.example/feed.hcl"
}
notification_type "pager" {
  source = "svc://pager"
}
jbo "x" {}
