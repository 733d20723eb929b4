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

export const check = `${prelude}
ref=HEAD
if [ -n "$branch" ]; then ref=refs/heads/$branch; fi
commit=$(remote_ref "$ref")
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

if ! git -C "$folder" cat-file -e "$commit^{commit}" 2>/dev/null; then
  git -C "$folder" fetch --quiet origin "$commit" >&2 ||
    fail "the commit $commit is not in the repository any more: its history was rewritten"
fi
if [ -z "$branch" ]; then branch=$(git -C "$folder" symbolic-ref --quiet --short HEAD || true); fi
if [ -n "$branch" ]; then
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
