import { builtInCommand } from './built-in-script.ts';
import { check } from './git-check.ts';
import { pull } from './git-pull.ts';
import { push } from './git-push.ts';

export const git = `
resource_type "git" {
  params = [
    "url", "name", "branch", "branches", "token", "pr", "forks", "fork_secrets", "labels", "tag", "provider",
    "paths", "ignore_paths", "skip_ci", "private_key", "known_hosts",
    "depth", "submodules", "lfs",
  ]
  cache  = true
  check "shell" {
    cmd = ${builtInCommand(check)}
  }
  pull "shell" {
    cmd = ${builtInCommand(pull)}
  }
  push "shell" {
    cmd = ${builtInCommand(push)}
  }
}
`;
