runner_type "nothing" {}
