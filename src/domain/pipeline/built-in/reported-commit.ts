/**
 * Finds the commit that a status or check run is for, and sets `$sha`, which is empty if there is none. The
 * commit is that of the attribute head_sha, of the version that triggered, or HEAD of the clone that is the
 * working directory, or of the only clone in it (`$clone`).
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
