/**
 * Sets `$sha` to the commit that a status or check run is for, or to nothing if there is none. The first of
 * these counts: the attribute `head_sha`, the field `ref` of the version, and HEAD of `$clone`. `$clone` is
 * the working directory if that is a clone, otherwise the only clone in it.
 */
export const reportedCommit = `
folder_of_clone() {
  if folder_git . rev-parse --quiet --verify HEAD >/dev/null 2>&1; then echo .; return; fi
  set --
  for candidate in */; do
    if [ -e "$candidate/.git" ]; then set -- "$@" "$candidate"; fi
  done
  if [ $# = 1 ]; then echo "$1"; fi
}
cd -- "$start"
clone=$(folder_of_clone)
sha=\${notify_head_sha:-\${put_head_sha:-\${version_ref-}}}
if [ -z "$sha" ] && [ -n "$clone" ]; then sha=$(folder_git "$clone" rev-parse HEAD); fi
cd -- "$HOME"
`;
