import { builtInScript } from './built-in-script.ts';
import { gitBranches } from './git-branches.ts';
import { gitCommits } from './git-commits.ts';
import { forgeApi } from './git-forge-api.ts';
import { gitPrelude } from './git-prelude.ts';
import { gitRequests } from './git-requests.ts';

export const check = builtInScript(`${gitPrelude}${forgeApi}
with_api=
case $url in http://* | https://*) if [ -n "\${param_token-}" ]; then with_api=yes; fi ;; esac
${gitRequests}
# Prints tags by creation time. Without a known tag, it prints only the newest one: otherwise each tag of a long
# history would start a build.
list_tags() {
  [ -n "\${param_token-}" ] || [ "$protocols" = ssh ] || fail 'tag needs the parameter token'
  # Without any tag, the fetch below would fail without a message.
  git ls-remote --tags -- "$url" >"$answer"
  if [ ! -s "$answer" ]; then echo '[]'; return 0; fi
  tags=$private/tags.git
  git init --quiet --bare --template= "$tags"
  git -C "$tags" config remote.origin.url "$url"
  git -C "$tags" fetch --quiet --depth=1 --filter=tree:0 --no-write-fetch-head origin '+refs/tags/*:refs/tags/*' >&2
  # A tag can name another tag, and also a file or a folder, which no get could check out.
  git -C "$tags" for-each-ref --sort=creatordate --format='%(refname)^{} %(refname:strip=2)' refs/tags |
    git -C "$tags" cat-file --batch-check='%(objecttype) %(objectname) %(rest)' | LC_ALL=C sed -n 's/^commit //p' |
    jq -cRn --arg tag "\${version_tag-}" --arg ref "\${version_ref-}" '
      [inputs | select(contains("\\ufffd") | not) | index(" ") as $at | {ref: .[:$at], tag: .[$at + 1:]}] |
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
  # With a known commit, the answer also has the commits after it, unless paths decide which commits are versions.
  count=1
  plain=
  if [ -n "$known" ] && [ ! -s "$private/paths" ]; then
    count=30
    plain='&stat=false&verification=false&files=false'
  fi
  # For all but GitHub, a short name means the tag of this name, if there is one.
  case $forge in
    gitlab) api "/repository/commits?per_page=$count\${query:+&ref_name=refs%2Fheads%2F$query}" || return 1 ;;
    github) api "/commits?per_page=$count\${query:+&sha=$query}" || return 1 ;;
    *) api "/commits?limit=$count$plain\${query:+&sha=refs%2Fheads%2F$query}" || return 1 ;;
  esac
  jq -er '.[0] | .sha? // .id? // empty' "$answer" 2>/dev/null
}

newest_commit() {
  if [ -n "$with_api" ]; then
    case $(forge_of) in
      unknown) for kind in gitlab gitea; do commit_by_api $kind && return 0; done ;;
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

${gitCommits}${gitBranches}
if [ "\${param_pr-}" = true ]; then list_requests; exit 0; fi
if [ "\${param_tag-}" = true ]; then list_tags; exit 0; fi
select_paths
if [ -n "\${param_branches-}" ]; then list_branches; exit 0; fi
known=\${version_ref-}
case $known in *[!0-9a-f]*) known= ;; esac
commit=$(newest_commit)
if [ -z "$commit" ]; then
  if [ -n "$branch" ]; then fail "the repository has no branch '$branch'"; fi
  fail 'the repository has no commit on its default branch yet'
fi
check_commit "$commit"
if [ "$known" != "$commit" ] && [ -n "$known" -o -s "$private/paths" ]; then
  if [ -s "$private/paths" ] || ! commits_of_answer; then list_commits; fi
else
  printf '[{"ref":"%s"}]\\n' "$commit"
fi
`);
