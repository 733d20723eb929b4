import { builtInCommand, builtInScript } from './built-in-script.ts';
import { forgeApi, gitPrelude } from './git-prelude.ts';

export const check = builtInScript(`${gitPrelude}${forgeApi}
with_api=
case $url in http://* | https://*) if [ -n "\${param_token-}" ]; then with_api=yes; fi ;; esac

# Open requests, the one that changed last at the end. Whoever can open one from a fork writes what the build runs: without the
# parameter forks they are left out, with it their versions are marked. A request that does not say where it comes from is one.
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
  jq -ce --arg forks "\${param_forks-}" '
    def repositories: if has("source_project_id") then [.source_project_id, .target_project_id]
      else [.head.repo.full_name?, .base.repo.full_name?] end;
    def fork: repositories | any(.[]; . == null) or .[0] != .[1];
    [reverse[] | select($forks == "true" or (fork | not)) |
      {ref: (.head.sha? // .sha), pr: ((.number // .iid) | tostring)} + if fork then {fork: "true"} else {} end] |
    if all(.[]; .ref | type == "string" and test("^[0-9a-f]{7,64}$")) then . else error("a request without a commit") end' "$answer"
}

# Tags by the time when they were made. Without a known one only the newest: a long history would start a build each.
list_tags() {
  [ -n "\${param_token-}" ] || fail 'tag needs the parameter token'
  # A fetch that finds nothing to fetch fails without a word.
  git ls-remote --tags -- "$url" >"$answer"
  if [ ! -s "$answer" ]; then echo '[]'; return 0; fi
  tags=$private/tags.git
  git init --quiet --bare --template= "$tags"
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
`);

export const pull = builtInScript(`${gitPrelude}
folder=\${param_name-}
commit=\${version_ref-}
check_folder "$folder"
check_commit "$commit"
target=$start/$folder
if [ -e "$target" ]; then fail "'$folder' exists already"; fi

# What lies in a cache, steps may have changed: its objects and the names of its branches are read, its configuration is not.
if [ -n "\${CACHE_DIR-}" ] && [ -d "$CACHE_DIR" ]; then
  mirror=$CACHE_DIR/mirror.git
  if [ ! -d "$mirror" ]; then git init --quiet --bare --template= "$mirror" || true; fi
  clean=$private/mirror.git
  git init --quiet --bare --template= "$clean"
  rm -rf -- "$clean/objects"
  ln -s -- "$mirror/objects" "$clean/objects"
  if [ -f "$mirror/packed-refs" ] && [ ! -h "$mirror/packed-refs" ]; then cp -- "$mirror/packed-refs" "$clean/packed-refs"; fi
  if git -C "$clean" fetch --quiet --prune --no-tags -- "$url" '+refs/heads/*:refs/heads/*' >&2; then
    git -C "$clean" pack-refs --all
    if [ -f "$clean/packed-refs" ]; then
      cp -- "$clean/packed-refs" "$mirror/.packed-refs" && mv -f -- "$mirror/.packed-refs" "$mirror/packed-refs" || true
    fi
    set -- --reference-if-able "$clean" --dissociate
  else
    echo 'git: the cache could not be used; it is made anew next time' >&2
    rm -rf -- "$mirror"
  fi
fi
git clone --quiet --no-checkout --no-recurse-submodules "$@" -- "$url" "$target" >&2

has_commit() { git -C "$target" cat-file -e "$commit^{commit}" 2>/dev/null; }
request=\${version_pr-}
case $request in *[!0-9]*) fail "'$request' is not the number of a request" ;; esac
if [ -n "$request" ]; then
  for ref in "refs/pull/$request/head" "refs/merge-requests/$request/head"; do
    if ! has_commit; then git -C "$target" fetch --quiet origin "+$ref:refs/remotes/origin/request-$request" 2>/dev/null || true; fi
  done
fi
if ! has_commit; then
  git -C "$target" fetch --quiet origin "$commit" >&2 ||
    fail "the commit $commit is not in the repository any more: its history was rewritten"
fi
tag=\${version_tag-}
if [ -n "$tag" ]; then
  check_ref tag "$tag" refs/tags/
  if ! git -C "$target" rev-parse --quiet --verify "refs/tags/$tag" >/dev/null; then
    git -C "$target" fetch --quiet --no-tags origin "refs/tags/$tag:refs/tags/$tag" >&2
  fi
fi
if [ -z "$branch" ]; then branch=$(git -C "$target" symbolic-ref --quiet --short HEAD || true); fi
if [ -n "$branch" ] && [ -z "$tag$request" ]; then
  git -C "$target" checkout --quiet --no-track -B "$branch" "$commit" -- >&2
  git -C "$target" branch --quiet --set-upstream-to="origin/$branch" "$branch" 2>/dev/null || true
else
  git -C "$target" checkout --quiet --detach "$commit" -- >&2
fi
git -C "$target" --no-pager log -1 --format='%h %s (%an, %ar)' >&2
`);

export const push = builtInScript(`${gitPrelude}
folder=\${param_name-}
tag=\${put_tag-}
check_folder "$folder"
if [ -n "$tag" ]; then check_ref tag "$tag" refs/tags/; fi
target=$start/$folder
[ -d "$target" ] || fail "there is no folder '$folder': get the resource in this job before the put"
commit=$(folder_git "$target" rev-parse --quiet --verify HEAD) || fail "'$folder' has no commit to push"
check_commit "$commit"

# Steps could change all of the folder, so no git that holds the token runs in it: its objects are read from a repository of our own.
format=$(folder_git "$target" rev-parse --show-object-format)
clean=$private/push.git
git init --quiet --bare --template= --object-format="$format" "$clean"
folder_git "$target" rev-parse --path-format=absolute --git-path objects >"$clean/objects/info/alternates"
shallow=$(folder_git "$target" rev-parse --path-format=absolute --git-path shallow)
if [ -f "$shallow" ]; then grep -xE '[0-9a-f]{40,64}' "$shallow" >"$clean/shallow" || true; fi
git -C "$clean" cat-file -e "$commit^{commit}" 2>/dev/null || fail "'$folder' has no commit to push"
git -C "$clean" update-ref refs/millrace/head "$commit"

if [ -z "$branch" ]; then branch=$(default_branch); fi
if [ -z "$branch" ]; then
  branch=$(folder_git "$target" symbolic-ref --quiet --short HEAD) || fail 'set the parameter branch: there is no default branch'
  check_ref branch "$branch" refs/heads/
fi

# What the branch has already needs no push: a tag can be put on an older commit, and a repeated put does no harm.
set --
tip=$(remote_ref "refs/heads/$branch")
if [ -n "$tip" ]; then git -C "$clean" fetch --quiet --no-tags -- "$url" "refs/heads/$branch" >&2; fi
if [ -z "$tip" ] || ! git -C "$clean" merge-base --is-ancestor "$commit" "$tip"; then set -- "$commit:refs/heads/$branch"; fi
if [ -n "$tag" ]; then
  there=$(remote_ref "refs/tags/$tag^{}")
  if [ -z "$there" ]; then there=$(remote_ref "refs/tags/$tag"); fi
  if [ -n "$there" ] && [ "$there" != "$commit" ]; then fail "the tag '$tag' exists already, at $there"; fi
  if [ -z "$there" ]; then set -- "$@" "$commit:refs/tags/$tag"; fi
fi
if [ $# -gt 0 ]; then git -C "$clean" push --quiet --atomic --no-verify -- "$url" "$@" >&2; fi
# The version is the commit, tagged or not: the tag would make another version of it, and that one would start the jobs anew.
printf '{"ref":"%s"}\\n' "$commit"
`);

export const git = `
resource_type "git" {
  params = ["url", "name", "branch", "token", "pr", "forks", "fork_secrets", "tag", "provider"]
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
