import { builtInScript } from './built-in-script.ts';
import { forgeApi } from './git-forge-api.ts';
import { gitPrelude } from './git-prelude.ts';
import { gitRequests } from './git-requests.ts';

export const check = builtInScript(`${gitPrelude}${forgeApi}
with_api=
case $url in http://* | https://*) if [ -n "\${param_token-}" ]; then with_api=yes; fi ;; esac
${gitRequests}
# Lists tags by creation time. Without a known tag it lists only the newest, since each tag of a long history would
# start a build.
list_tags() {
  [ -n "\${param_token-}" ] || [ "$protocols" = ssh ] || fail 'tag needs the parameter token'
  # A fetch that finds nothing to fetch fails without a message.
  git ls-remote --tags -- "$url" >"$answer"
  if [ ! -s "$answer" ]; then echo '[]'; return 0; fi
  tags=$private/tags.git
  git init --quiet --bare --template= "$tags"
  git -C "$tags" config remote.origin.url "$url"
  git -C "$tags" fetch --quiet --depth=1 --filter=tree:0 --no-write-fetch-head origin '+refs/tags/*:refs/tags/*' >&2
  object='%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)'
  git -C "$tags" for-each-ref --sort=creatordate --format="$object %(refname:strip=2)" refs/tags |
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
      unknown) for kind in b c; do commit_by_api $kind && return 0; done ;;
      *)
        commit_by_api "$(forge_of)" && return 0
        echo "git: the API of the forge does not answer with commits ($(api_problem)); git is used instead" >&2
        ;;
    esac
  fi
  ref=HEAD
  if [ -n "$branch" ]; then ref=refs/heads/$branch; fi
  remote_ref "$ref"
}

# A commit is a version if it changes something in paths and its message does not ask to skip CI.
patterns() { printf '%s\\n' "$1" | tr ',' '\\n' | sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d'; }
select_paths() {
  patterns "\${param_paths-}" >"$private/paths"
  patterns "\${param_ignore_paths-}" >"$private/ignored"
  if grep -q '^:' "$private/paths" "$private/ignored"; then
    fail 'a path in paths or ignore_paths begins with a colon'
  fi
  sed 's/^/:(exclude)/' "$private/ignored" >>"$private/paths"
}
# Lists the versions after $since, oldest first. The oldest commits of a shallow history are left out if paths are
# given, since what they changed is unknown.
matching_commits() {
  limit=$1
  shift
  if [ "\${param_skip_ci-}" != false ]; then
    set -- "$@" --fixed-strings --regexp-ignore-case --invert-grep
    set -- "$@" --grep='[skip ci]' --grep='[ci skip]' --grep='[no ci]'
  fi
  {
    echo refs/tip
    if [ -n "$since" ]; then echo "^$since"; fi
    if [ -s "$private/paths" ] && [ -e "$history/shallow" ]; then sed 's/^/^/' "$history/shallow"; fi
    echo --
    cat "$private/paths"
  } | git -C "$history" rev-list --first-parent --max-count="$limit" --reverse "$@" --stdin |
    jq -cRn '[inputs | {ref: .}]'
}
# Lists commits of the branch after $known, oldest first, at most the newest 100. A merge counts as one commit. Only
# commits are fetched, and trees if paths are given: first as many as are listed, then more. If $known is not among
# them, the history was rewritten, and only the newest commit is a version.
list_commits() {
  ref=HEAD
  if [ -n "$branch" ]; then ref=refs/heads/$branch; fi
  history=$private/history.git
  case $commit in ?????????????????????????????????????????*) format=sha256 ;; *) format=sha1 ;; esac
  filter=tree:0
  if [ -s "$private/paths" ]; then filter=blob:none; fi
  git init --quiet --bare --template= --object-format=$format "$history"
  git -C "$history" config remote.origin.url "$url"
  for depth in 101 10001; do
    if ! git -C "$history" fetch --quiet --depth=$depth --filter=$filter --no-tags --no-write-fetch-head \\
      origin "+$ref:refs/tip" 2>"$private/problem"; then
      cat "$private/problem" >&2
      if ! grep -q 'dumb http' "$private/problem"; then fail 'the commits since the last check could not be fetched'; fi
      echo 'git: this server lists no history, so only the newest commit is a version' >&2
      printf '[{"ref":"%s"}]\\n' "$commit"
      return 0
    fi
    since=
    if [ -n "$known" ] && git -C "$history" merge-base --is-ancestor "$known" refs/tip 2>/dev/null; then
      since=$known
      matching_commits 100
      return 0
    fi
    found=$(matching_commits 1)
    if [ ! -e "$history/shallow" ]; then break; fi
    if [ -z "$known" ] && [ "$found" != '[]' ]; then break; fi
  done
  if [ "$found" = '[]' ]; then echo 'git: no commit of this branch changes something in paths' >&2; fi
  printf '%s\\n' "$found"
}

if [ "\${param_pr-}" = true ]; then list_requests; exit 0; fi
if [ "\${param_tag-}" = true ]; then list_tags; exit 0; fi
commit=$(newest_commit)
if [ -z "$commit" ]; then
  if [ -n "$branch" ]; then fail "the repository has no branch '$branch'"; fi
  fail 'the repository has no commit on its default branch yet'
fi
check_commit "$commit"
known=\${version_ref-}
case $known in *[!0-9a-f]*) known= ;; esac
select_paths
if [ "$known" != "$commit" ] && [ -n "$known" -o -s "$private/paths" ]; then
  list_commits
else
  printf '[{"ref":"%s"}]\\n' "$commit"
fi
`);
