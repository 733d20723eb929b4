import { builtInScript } from './built-in-script.ts';
import { gitPrelude } from './git-prelude.ts';

export const push = builtInScript(`${gitPrelude}
folder=\${param_name-}
tag=\${put_tag-}
check_folder "$folder"
if [ -n "$tag" ]; then check_ref tag "$tag" refs/tags/; fi
if [ -n "\${param_branches-}" ]; then
  branch=\${version_branch-}
  [ -n "$branch" ] || fail 'a put with branches goes to the branch of the version: get the resource in this job before'
  check_ref branch "$branch" refs/heads/
fi
target=$start/$folder
[ -d "$target" ] || fail "there is no folder '$folder': get the resource in this job before the put"
commit=$(folder_git "$target" rev-parse --quiet --verify HEAD) || fail "'$folder' has no commit to push"
check_commit "$commit"

# Steps could have changed anything in the folder, so no git that has the token runs in it. A repository of our own
# reads the objects of the folder.
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
  branch=$(folder_git "$target" symbolic-ref --quiet --short HEAD) ||
    fail 'set the parameter branch: there is no default branch'
  check_ref branch "$branch" refs/heads/
fi

# A commit that the branch has already needs no push: a tag can be put on an older commit, and a put can be repeated.
set --
tip=$(remote_ref "refs/heads/$branch")
if [ -n "$tip" ]; then git -C "$clean" fetch --quiet --no-tags -- "$url" "refs/heads/$branch" >&2; fi
if [ -z "$tip" ] || ! git -C "$clean" merge-base --is-ancestor "$commit" "$tip"; then
  set -- "$commit:refs/heads/$branch"
fi
if [ -n "$tag" ]; then
  there=$(remote_ref "refs/tags/$tag^{}")
  if [ -z "$there" ]; then there=$(remote_ref "refs/tags/$tag"); fi
  if [ -n "$there" ] && [ "$there" != "$commit" ]; then fail "the tag '$tag' exists already, at $there"; fi
  if [ -z "$there" ]; then set -- "$@" "$commit:refs/tags/$tag"; fi
fi
if [ $# -gt 0 ]; then git -C "$clean" push --quiet --atomic --no-verify -- "$url" "$@" >&2; fi
# The version is the commit, tagged or not: with the tag it would be another version, which would start the jobs again.
if [ -n "\${param_branches-}" ]; then jq -cn --arg ref "$commit" --arg branch "$branch" '{ref: $ref, branch: $branch}'
else printf '{"ref":"%s"}\\n' "$commit"
fi
`);
