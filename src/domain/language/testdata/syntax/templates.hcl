# Templates name what they need; $${ and %%{ are plain text.
shell = "$${HOME} $HOME $(date) %%{if}"
name  = "a-${var.x}-${each.value["k"]}"
loop  = "%{ for x in var.list }${x},%{ endfor }"
trim  = "a   ${~ "b" ~}   c"
