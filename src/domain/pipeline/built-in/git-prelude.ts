import { gitSsh } from './git-ssh.ts';

/**
 * Start of every script of the type git, in POSIX sh for `sh -e`. Rules for these scripts:
 *
 * - stdout has only the result.
 * - Git gets the token from a credential helper that reads the environment, only for the host of the URL.
 * - Names and URLs are never passed to git where git could read them as options.
 * - The private key is in a file that only the script's user can read, never in an argument; see git-ssh.ts.
 * - Git never prompts, and uses only the protocols in GIT_ALLOW_PROTOCOL.
 */
export const gitPrelude = `
fail() { printf 'git: %s\\n' "$1" >&2; exit 1; }
configure() {
  eval "export GIT_CONFIG_KEY_$GIT_CONFIG_COUNT=\\"\\$1\\" GIT_CONFIG_VALUE_$GIT_CONFIG_COUNT=\\"\\$2\\""
  GIT_CONFIG_COUNT=$((GIT_CONFIG_COUNT + 1))
}
check_ref() {
  case $2 in -*) fail "the $1 '$2' begins with a dash" ;; esac
  git check-ref-format "$3$2" || fail "'$2' cannot be the name of a $1"
}
remote_ref() {
  git ls-remote -- "$url" "$1" >"$answer"
  tab=$(printf '\\t')
  while IFS=$tab read -r id name; do
    if [ "$name" = "$1" ]; then printf '%s\\n' "$id"; break; fi
  done <"$answer"
}
default_branch() {
  git ls-remote --symref -- "$url" HEAD >"$answer"
  sed -n 's,^ref: refs/heads/\\(.*\\)	HEAD$,\\1,p' "$answer"
}
check_commit() {
  case $1 in
    '' | *[!0-9a-f]*) fail "'$1' is not a commit" ;;
  esac
}
check_folder() {
  case /$1/ in
    // | //* | */../* | */./* | */.git/* | /-*) fail "'$1' cannot be the name of a folder to clone into" ;;
  esac
}
${gitSsh}
url=\${param_url-}
branch=\${param_branch-}
protocols=https:http
case $url in
  '') fail 'the parameter url is empty' ;;
  -*) fail "the url '$url' begins with a dash" ;;
  ssh://*) protocols=ssh ;;
  *://* | *::* | /* | .*) ;;
  *:*) protocols=ssh ;;
esac
export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_COUNT=0
if [ $protocols = ssh ]; then use_ssh
elif [ -n "\${param_private_key-}" ]; then fail 'private_key works only with a url for SSH: with https, use the parameter token'
fi
export GIT_ALLOW_PROTOCOL="\${GIT_ALLOW_PROTOCOL:-$protocols}"
configure safe.directory '*'
configure core.hooksPath /dev/null
configure core.fsmonitor false
configure core.alternateRefsCommand true
configure credential.helper ''
configure http.lowSpeedLimit 100
configure http.lowSpeedTime 60
if [ -n "\${param_token-}" ]; then
  host=\${url#*://}
  host=\${host%%[/?#]*}
  case $url in
    http://* | https://*)
      configure "credential.\${url%%://*}://\${host##*@}.helper" \\
        '!read_token() { if [ "$1" = get ]; then printf "username=oauth2\\npassword=%s\\n" "$param_token"; fi; }; read_token'
      ;;
  esac
fi
if [ -n "$branch" ]; then check_ref branch "$branch" refs/heads/; fi
answer=$private/answer
`;
