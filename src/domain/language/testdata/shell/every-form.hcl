job "test" {
  task "t" {
    run "shell" {
      cmd = <<-EOT
        echo ${#arr} ${#arr[@]} ${TAG#v} ${TAG##*/} ${f%.txt} ${f%%.*} ${dir%/}
        echo ${a//x/y} ${a/x/.y} ${a^^} ${a^} ${a,,} ${a,} ${a@Q}
        echo ${arr[@]} ${!arr[@]} ${!pre*} ${@} ${*} ${?} ${$} ${-} ${!}
        echo ${a:-b} ${a:=b} ${a:?b} ${a:+b} ${a:0:3} ${a: -1} ${1:-x} ${a=b} ${a-"b c"} ${a-#}
        echo ${u:-https://example.com/a#b} ${x:-${y}}
      EOT
    }
  }
}
