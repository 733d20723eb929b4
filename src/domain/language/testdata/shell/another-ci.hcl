job "test" {
  task "t" {
    run "shell" {
      cmd = "echo ${{ github.sha }} ${{ secrets.TOKEN }}"
    }
  }
}
