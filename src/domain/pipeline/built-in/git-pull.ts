import { builtInScript } from './built-in-script.ts';
import { gitContent } from './git-content.ts';
import { gitPrelude } from './git-prelude.ts';

export const pull = builtInScript(`${gitPrelude}${gitContent}
folder=\${param_name-}
commit=\${version_ref-}
check_folder "$folder"
check_commit "$commit"
if [ -n "\${version_branch-}" ]; then
  branch=$version_branch
  check_ref branch "$branch" refs/heads/
fi
target=$start/$folder
if [ -e "$target" ]; then fail "'$folder' exists already"; fi
check_content

# Steps may have changed what is in a cache, so only its objects and the names of its branches are read, never its
# configuration. The clone copies the objects, and verify-pack computes their hashes: it finds an object whose
# contents do not match its name.
has_commit() { git -C "$target" cat-file -e "$commit^{commit}" 2>/dev/null; }
fetch_mirror() {
  # Git asks a mirror for its branches only if it has a folder refs.
  mkdir -p -- "$mirror/objects/info" "$mirror/objects/pack" "$mirror/refs" &&
    git init --quiet --bare --template= "$clean" &&
    rm -rf -- "$clean/objects" &&
    ln -s -- "$mirror/objects" "$clean/objects" || return 1
  if [ -f "$mirror/packed-refs" ] && [ ! -h "$mirror/packed-refs" ]; then
    cp -- "$mirror/packed-refs" "$clean/packed-refs" || return 1
  fi
  git -C "$clean" -c gc.autoDetach=false -c maintenance.autoDetach=false \\
    fetch --quiet --prune --no-tags -- "$url" '+refs/heads/*:refs/heads/*' &&
    git -C "$clean" pack-refs --all || return 1
  if [ -f "$clean/packed-refs" ]; then
    cp -- "$clean/packed-refs" "$mirror/.packed-refs" && mv -f -- "$mirror/.packed-refs" "$mirror/packed-refs"
  fi
}
clone_by_mirror() {
  fetch_mirror && git -C "$clean" for-each-ref --format='%(objectname)' >"$private/tips" || return 1
  # Tells the server which commits the mirror has. Git itself would read the branches in the cache.
  export tips="$private/tips"
  git -c core.alternateRefsCommand='list_tips() { cat -- "$tips"; }; list_tips' \\
    clone --quiet --no-checkout --no-recurse-submodules --reference "$clean" --dissociate -- "$url" "$target" ||
    return 1
  for index in "$target"/.git/objects/pack/*.idx; do
    if [ -e "$index" ]; then git -C "$target" verify-pack "$index" || return 1; fi
  done
  if has_commit; then git -C "$target" rev-list --quiet --objects --no-walk "$commit" --; fi
}
cloned=
if [ -n "$depth" ] && clone_shallow; then
  cloned=yes
elif [ -n "\${CACHE_DIR-}" ] && [ -d "$CACHE_DIR" ] && [ -w "$CACHE_DIR" ]; then
  mirror=$CACHE_DIR/mirror.git
  clean=$private/mirror.git
  if clone_by_mirror >"$private/problem" 2>&1; then
    cloned=yes
  else
    sed -n '1,5p' "$private/problem" >&2
    echo 'git: the cache could not be used; the next get fills it again' >&2
    rm -rf -- "$target" "$clean"
    rm -rf -- "$mirror" || true
  fi
fi
if [ -z "$cloned" ]; then git clone --quiet --no-checkout --no-recurse-submodules -- "$url" "$target" >&2; fi

request=\${version_pr-}
case $request in *[!0-9]*) fail "'$request' is not the number of a request" ;; esac
if [ -n "$request" ]; then
  for ref in "refs/pull/$request/head" "refs/merge-requests/$request/head"; do
    if ! has_commit; then
      git -C "$target" fetch --quiet origin "+$ref:refs/remotes/origin/request-$request" 2>/dev/null || true
    fi
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
if [ -z "$branch$tag$request" ] && [ -e "$target/.git/shallow" ]; then branch=$(default_branch); fi
if [ -z "$branch" ]; then branch=$(git -C "$target" symbolic-ref --quiet --short HEAD || true); fi
if [ -n "$branch" ] && [ -z "$tag$request" ]; then
  check_out "$target" --no-track -B "$branch" "$commit"
  git -C "$target" branch --quiet --set-upstream-to="origin/$branch" "$branch" 2>/dev/null || true
else
  check_out "$target" --detach "$commit"
fi
if [ "\${param_submodules-}" = true ]; then update_submodules "$target" 1; fi
record_lfs "$target"
git -C "$target" --no-pager log -1 --format='%h %s (%an, %ar)' >&2
`);
