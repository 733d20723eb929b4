notification "chatone" "a" {
  params {
    webhook_url = "chat.example"
    webhok_url  = "x"
  }
}
