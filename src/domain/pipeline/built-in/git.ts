import { heredoc } from './heredoc.ts';

/*
 * The scripts of the type git, in POSIX sh for `sh -ec`. Rules they keep: stdout carries the answer and nothing else; the token goes
 * to git through a credential helper that reads it from the environment, for the host of the URL only; names and URLs never reach git
 * where an option could stand; git never asks a person; only the protocols of GIT_ALLOW_PROTOCOL are spoken.
 */

const prelude = `
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
esac
export GIT_TERMINAL_PROMPT=0 GIT_CONFIG_COUNT=\${GIT_CONFIG_COUNT:-0}
export GIT_ALLOW_PROTOCOL="\${GIT_ALLOW_PROTOCOL:-https:http:ssh}"
export GIT_SSH_COMMAND="\${GIT_SSH_COMMAND:-ssh -oBatchMode=yes -oConnectTimeout=30}"
configure safe.directory '*'
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
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
`;

/*
 * The forges' own interfaces. `api <path>` answers with the body, or fails; redirects are not followed, so the token stays with the
 * host of the repository. Its header comes from standard input, so it is in no argument list.
 */
const forges = `
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
  printf '%s\\n' "$header" | curl --silent --show-error --fail --max-time 60 --max-redirs 0 --proto '=https,http' \\
    --header @- --header 'Accept: application/json' --output "$answer" --write-out '%{http_code}' -- "$api$repository$1" >"$answer.code" || return 1
  [ "$(cat "$answer.code")" = 200 ]
}
authority=\${url#*://}
path=\${authority#*/}
authority=\${authority%%[/?#]*}
authority=\${authority##*@}
path=\${path%%[?#]*}
path=\${path%/}
path=\${path%.git}
trap 'rm -f "$answer" "$answer.code"' EXIT
`;

export const check = `${prelude}${forges}
with_api=
case $url in http://* | https://*) if [ -n "\${param_token-}" ]; then with_api=yes; fi ;; esac

# Open requests, the one that changed last at the end.
list_requests() {
  [ -n "$with_api" ] || fail 'pr needs the parameter token, and a url that begins with https://'
  kind=$(forge_of)
  case $kind in
    unknown) fail "set the parameter provider: what runs on '$authority' is not known" ;;
    a) query='/pulls?state=open&sort=updated&direction=desc&per_page=100' ;;
    b) query='/merge_requests?state=opened&order_by=updated_at&sort=desc&per_page=100' ;;
    c) query='/pulls?state=open&sort=recentupdate&limit=50' ;;
  esac
  set_forge "$kind"
  api "$query" || fail "the forge does not answer with open requests (status $(cat "$answer.code"))"
  jq -ce '[reverse[] | {ref: (.head.sha? // .sha), pr: ((.number // .iid) | tostring)}] |
    if all(.[]; .ref | type == "string" and test("^[0-9a-f]{7,64}$")) then . else error("a request without a commit") end' "$answer"
}

# Tags by the time when they were made. Without a known one only the newest: a long history would start a build each.
list_tags() {
  [ -n "\${param_token-}" ] || fail 'tag needs the parameter token'
  # A fetch that finds nothing to fetch fails without a word.
  git ls-remote --tags -- "$url" >"$answer"
  if [ ! -s "$answer" ]; then echo '[]'; return 0; fi
  tags=$(mktemp -d)
  trap 'rm -rf "$tags" "$answer" "$answer.code"' EXIT
  git init --quiet --bare "$tags"
  git -C "$tags" config remote.origin.url "$url"
  git -C "$tags" fetch --quiet --depth=1 --filter=tree:0 --no-write-fetch-head origin '+refs/tags/*:refs/tags/*' >&2
  git -C "$tags" for-each-ref --sort=creatordate --format='%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end) %(refname:strip=2)' refs/tags |
    jq -cRn --arg tag "\${version_tag-}" --arg ref "\${version_ref-}" '
      [inputs | index(" ") as $at | {ref: .[:$at], tag: .[$at + 1:]}] |
      (map(.tag == $tag) | index(true)) as $known |
      if length == 0 then .
      elif $tag == "" or $known == null then .[-1:]
      elif .[$known].ref != $ref then .[$known:]
      else .[$known + 1:] end | .[-100:]'
}

commit_by_api() {
  set_forge "$1"
  query=
  if [ -n "$branch" ]; then query=$(encode "$branch"); fi
  case $forge in
    b) api "/repository/commits?per_page=1\${query:+&ref_name=$query}" || return 1 ;;
    a) api "/commits?per_page=1\${query:+&sha=$query}" || return 1 ;;
    *) api "/commits?limit=1\${query:+&sha=$query}" || return 1 ;;
  esac
  jq -er '.[0] | .sha? // .id?' "$answer" 2>/dev/null
}

newest_commit() {
  if [ -n "$with_api" ]; then
    case $(forge_of) in
      unknown) for kind in b c; do commit_by_api $kind 2>/dev/null && return 0; done ;;
      *) commit_by_api "$(forge_of)" && return 0 ;;
    esac
  fi
  ref=HEAD
  if [ -n "$branch" ]; then ref=refs/heads/$branch; fi
  remote_ref "$ref"
}

if [ "\${param_pr-}" = true ]; then list_requests; exit 0; fi
if [ "\${param_tag-}" = true ]; then list_tags; exit 0; fi
commit=$(newest_commit)
if [ -z "$commit" ]; then
  if [ -n "$branch" ]; then fail "the repository has no branch '$branch'"; fi
  fail 'the repository has no commit on its default branch yet'
fi
check_commit "$commit"
printf '[{"ref":"%s"}]\\n' "$commit"
`;

export const pull = `${prelude}
folder=\${param_name-}
commit=\${version_ref-}
check_folder "$folder"
check_commit "$commit"
if [ -e "$folder" ]; then fail "'$folder' exists already"; fi

if [ -n "\${CACHE_DIR-}" ] && [ -d "$CACHE_DIR" ]; then
  mirror=$CACHE_DIR/mirror.git
  if [ ! -d "$mirror" ]; then git init --quiet --bare "$mirror" || true; fi
  if ! git -C "$mirror" fetch --quiet --prune --no-tags -- "$url" '+refs/heads/*:refs/heads/*' >&2; then
    echo 'git: the cache could not be used; it is made anew next time' >&2
    rm -rf "$mirror"
  fi
  if [ -d "$mirror" ]; then set -- --reference-if-able "$mirror" --dissociate; fi
fi
git clone --quiet --no-checkout --no-recurse-submodules "$@" -- "$url" "$folder" >&2

has_commit() { git -C "$folder" cat-file -e "$commit^{commit}" 2>/dev/null; }
request=\${version_pr-}
case $request in *[!0-9]*) fail "'$request' is not the number of a request" ;; esac
if [ -n "$request" ]; then
  for ref in "refs/pull/$request/head" "refs/merge-requests/$request/head"; do
    if ! has_commit; then git -C "$folder" fetch --quiet origin "+$ref:refs/remotes/origin/request-$request" 2>/dev/null || true; fi
  done
fi
if ! has_commit; then
  git -C "$folder" fetch --quiet origin "$commit" >&2 ||
    fail "the commit $commit is not in the repository any more: its history was rewritten"
fi
tag=\${version_tag-}
if [ -n "$tag" ]; then
  check_ref tag "$tag" refs/tags/
  if ! git -C "$folder" rev-parse --quiet --verify "refs/tags/$tag" >/dev/null; then
    git -C "$folder" fetch --quiet --no-tags origin "refs/tags/$tag:refs/tags/$tag" >&2
  fi
fi
if [ -z "$branch" ]; then branch=$(git -C "$folder" symbolic-ref --quiet --short HEAD || true); fi
if [ -n "$branch" ] && [ -z "$tag$request" ]; then
  git -C "$folder" checkout --quiet --no-track -B "$branch" "$commit" -- >&2
  git -C "$folder" branch --quiet --set-upstream-to="origin/$branch" "$branch" 2>/dev/null || true
else
  git -C "$folder" checkout --quiet --detach "$commit" -- >&2
fi
git -C "$folder" --no-pager log -1 --format='%h %s (%an, %ar)' >&2
`;

export const push = `${prelude}
folder=\${param_name-}
tag=\${put_tag-}
check_folder "$folder"
if [ -n "$tag" ]; then check_ref tag "$tag" refs/tags/; fi
cd -- "$folder" 2>/dev/null || fail "there is no folder '$folder': get the resource in this job before the put"
commit=$(git rev-parse --quiet --verify 'HEAD^{commit}') || fail "'$folder' has no commit to push"
if [ -z "$branch" ]; then branch=$(default_branch); fi
if [ -z "$branch" ]; then branch=$(git symbolic-ref --quiet --short HEAD) || fail 'set the parameter branch: there is no default branch'; fi

# What the branch has already needs no push: a tag can be put on an older commit, and a repeated put does no harm.
set --
tip=$(remote_ref "refs/heads/$branch")
if [ -n "$tip" ]; then git fetch --quiet --no-tags -- "$url" "refs/heads/$branch" >&2; fi
if [ -z "$tip" ] || ! git merge-base --is-ancestor "$commit" "$tip"; then set -- "$commit:refs/heads/$branch"; fi
if [ -n "$tag" ]; then
  there=$(remote_ref "refs/tags/$tag^{}")
  if [ -z "$there" ]; then there=$(remote_ref "refs/tags/$tag"); fi
  if [ -n "$there" ] && [ "$there" != "$commit" ]; then fail "the tag '$tag' exists already, at $there"; fi
  if [ -z "$there" ]; then
    git tag --force --no-sign -- "$tag" "$commit" >&2
    set -- "$@" "refs/tags/$tag:refs/tags/$tag"
  fi
fi
if [ $# -gt 0 ]; then git push --quiet --atomic --no-verify -- "$url" "$@" >&2; fi
# The version is the commit, tagged or not: the tag would make another version of it, and that one would start the jobs anew.
printf '{"ref":"%s"}\\n' "$commit"
`;

export const git = `
resource_type "git" {
  params = ["url", "name", "branch", "token", "pr", "tag", "provider"]
  cache  = true
  check "shell" {
    cmd = ${heredoc(check)}
  }
  pull "shell" {
    cmd = ${heredoc(pull)}
  }
  push "shell" {
    cmd = ${heredoc(push)}
  }
}
`;
