/**
 * Start of every script of the type git, in POSIX sh for `sh -ec`. Rules for these scripts:
 *
 * - stdout has only the result.
 * - Git gets the token from a credential helper that reads the environment, only for the host of the URL.
 * - Names and URLs never reach git where an option could be.
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

url=\${param_url-}
branch=\${param_branch-}
case $url in
  '') fail 'the parameter url is empty' ;;
  -*) fail "the url '$url' begins with a dash" ;;
  https://* | http://*) ;;
  ssh://* | *@*:*)
    fail 'the url is for SSH, and there is no way to give a key yet: use https and the parameter token'
    ;;
esac
export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_COUNT=0
export GIT_ALLOW_PROTOCOL="\${GIT_ALLOW_PROTOCOL:-https:http}"
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

/**
 * The APIs of the forges. `api <path>` writes the body to `$answer`, or fails. It follows no redirects, so only
 * the host of the repository gets the token. The header comes from stdin, so it is in no argument list.
 */
export const forgeApi = `
forge_of() {
  case \${param_provider-} in
    forge_a | github) echo a ;;
    forge_b | gitlab) echo b ;;
    forge_c | gitea | forge_d | forgejo) echo c ;;
    '')
      case $authority in
        github.com | www.github.com) echo a ;;
        gitlab.com | www.gitlab.com) echo b ;;
        *) echo unknown ;;
      esac
      ;;
    *) fail "the provider '$param_provider' is not known" ;;
  esac
}
encode() { printf '%s' "$1" | jq -Rrs @uri; }
set_forge() {
  forge=$1
  case $forge in
    a)
      api=\${url%%://*}://$authority/api/v3
      case $authority in github.com | www.github.com) api=https://api.github.com ;; esac
      header="Authorization: token $param_token"
      repository=/repos/$path
      ;;
    b)
      api=\${url%%://*}://$authority/api/v4
      header="PRIVATE-TOKEN: $param_token"
      repository=/projects/$(encode "$path")
      ;;
    c)
      api=\${url%%://*}://$authority/api/v1
      header="Authorization: token $param_token"
      repository=/repos/$path
      ;;
  esac
}
api() {
  printf '%s\\n' "$header" |
    curl -q --silent --show-error --fail --max-time 60 --max-redirs 0 --proto '=https,http' --header @- \\
      --header 'Accept: application/json' --output "$answer" --write-out '%{http_code}' \\
      -- "$api$repository$1" >"$answer.code" || return 1
  [ "$(cat "$answer.code")" = 200 ]
}
authority=\${url#*://}
path=\${authority#*/}
authority=\${authority%%[/?#]*}
authority=\${authority##*@}
path=\${path%%[?#]*}
path=\${path%/}
path=\${path%.git}
`;
