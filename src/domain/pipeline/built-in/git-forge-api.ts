/**
 * The APIs of the forges. `api <path>` writes the body of the answer to `$answer`, or returns 1. It ends the
 * script if the forge limits requests. It follows no redirects, so only the host of the repository gets the
 * token. curl reads the header with the token from stdin, so the token is in no argument list. Requests are
 * not conditional, because a check stores nothing for the next one.
 */
export const forgeApi = `
# Prints which API the forge has: github, gitlab or gitea, which Forgejo has too. Prints unknown if nothing says it.
forge_of() {
  case \${param_provider-} in
    forge_a | github) echo github ;;
    forge_b | gitlab) echo gitlab ;;
    forge_c | gitea | forge_d | forgejo) echo gitea ;;
    '')
      case $authority in
        github.com | www.github.com) echo github ;;
        gitlab.com | www.gitlab.com) echo gitlab ;;
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
    github)
      api=\${url%%://*}://$authority/api/v3
      case $authority in github.com | www.github.com) api=https://api.github.com ;; esac
      header="Authorization: token $param_token"
      repository=/repos/$path
      ;;
    gitlab)
      api=\${url%%://*}://$authority/api/v4
      header="PRIVATE-TOKEN: $param_token"
      repository=/projects/$(encode "$path")
      ;;
    gitea)
      api=\${url%%://*}://$authority/api/v1
      header="Authorization: token $param_token"
      repository=/repos/$path
      ;;
  esac
}
api() {
  printf '%s\\n' "$header" | (
    ulimit -f 65536
    exec curl -q --silent --show-error --max-time 60 --max-redirs 0 --proto '=https,http' --header @- \\
      --header 'Accept: application/json' --dump-header "$answer.head" --output "$answer" \\
      --write-out '%{http_code}' -- "$api$repository$1" >"$answer.code" 2>"$answer.problem"
  ) || return 1
  obey_limit
  [ "$(cat "$answer.code")" = 200 ]
}
# Prints what went wrong with the last request, in words.
api_problem() {
  case $(cat "$answer.code") in
    000 | '') sed -n '1p' "$answer.problem" ;;
    *) printf 'status %s' "$(cat "$answer.code")" ;;
  esac
}
# Fails if the forge refuses because of too many requests. The next check then comes later: the operator waits
# longer after each failure.
obey_limit() {
  case $(cat "$answer.code") in 403 | 429) ;; *) return 0 ;; esac
  limited=$(jq -Rnr --arg code "$(cat "$answer.code")" '
    [inputs | rtrimstr("\\r") | capture("^(?<name>[^:]+): *(?<value>.*)$") | {(.name | ascii_downcase): .value}] |
    add // {} |
    (.["x-ratelimit-remaining"] // .["ratelimit-remaining"]) as $left |
    if $code == "429" or has("retry-after") or $left == "0" then
      .["retry-after"] // .["x-ratelimit-reset"] // .["ratelimit-reset"] // "" |
      if test("^[0-9]{1,10}$") then
        # Seconds from now, or since 1970.
        tonumber | if . < 1000000000 then now + . else . end | floor | "until \\(todate)"
      elif test("^[A-Za-z0-9,: +-]{1,40}$") then "until \\(.)"
      else "for now" end
    else empty end' "$answer.head")
  if [ -n "$limited" ]; then fail "the forge accepts no more requests $limited: there were too many"; fi
}
# Collects the entries of all pages in $entries, one per line. A forge may answer with fewer entries on a page than
# requested, so its header Link says whether there are more. The addresses in that header are not used.
all_pages() {
  entries=$private/entries
  page=1
  : >"$entries"
  while api "$1&page=$page"; do
    jq -c 'if type == "array" then .[] else error("not a list") end' "$answer" >"$private/page" 2>/dev/null ||
      fail 'the forge answers with something that is not a list'
    cat "$private/page" >>"$entries"
    if grep -qi '^link:' "$answer.head"; then
      grep -i '^link:' "$answer.head" | grep -q 'rel="\\{0,1\\}next' || return 0
    elif [ "$(wc -l <"$private/page")" -lt "$2" ]; then return 0
    fi
    if [ $page = 10 ]; then
      echo "git: the forge has more than $(wc -l <"$entries") open requests; only those that changed last are seen" >&2
      return 0
    fi
    page=$((page + 1))
  done
  return 1
}
authority=\${url#*://}
path=\${authority#*/}
authority=\${authority%%[/?#]*}
authority=\${authority##*@}
path=\${path%%[?#]*}
path=\${path%/}
path=\${path%.git}
`;
