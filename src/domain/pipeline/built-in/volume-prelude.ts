/**
 * An unfinished file or folder counts as left by a killed put if nothing has changed it for this time. A
 * running put does not pause so long.
 */
export const UNFINISHED_MINUTES = 24 * 60;

/**
 * Functions for scripts that read or write a volume of the Team, in POSIX sh with GNU tools. They expect a
 * function `fail`.
 *
 * - A path resolves to a file or folder on the volume that is mounted at the path or above it. The root of
 *   the container is not a volume, so a link cannot lead out of the volume.
 * - Links below a folder are followed, and refused if they lead out of the folder's volume.
 * - Entries that begin with `..` at the top of a folder are the kubelet's own, on volumes of ConfigMaps.
 *   Entries that begin with `.millrace-` are unfinished.
 */
export const volumePrelude = `
check_path() {
  case $1 in
    /*) ;;
    *) fail "the path '$1' is not absolute" ;;
  esac
  case \${1%/}/ in
    *//* | */./* | */../*) fail "the path '$1' has a part that is empty, . or .." ;;
  esac
}
# volume_of PATH REAL: sets volume to that of REAL, where PATH leads; fails if the link PATH leads out of the volume
volume_of() {
  volume=$(stat -c %m -- "$2")
  [ "$volume" != / ] || fail "'$1' is not on a volume, or is a link that leads out of it"
  case $1/ in
    "$volume"/*) ;;
    *) fail "'$1' is a link that leads out of the volume" ;;
  esac
}
# place_on_volume PATH: fails if PATH, or what exists above it, is not on a volume
place_on_volume() {
  existing=\${1:-/}
  while [ ! -e "$existing" ]; do existing=\${existing%/*}; existing=\${existing:-/}; done
  volume_of "$existing" "$(realpath -e -- "$existing")"
}
# check_links FOLDER OUTER: fails if a link below FOLDER leads nowhere or out of OUTER
check_links() {
  find "$1" -name '.millrace-*' -prune -o -type l -print0 >"$private/links" || fail "'$1' cannot be read whole"
  xargs -0 -r realpath -ez -- <"$private/links" >"$private/targets" || fail "'$1' has a link that leads nowhere"
  outside=$(tr '\\n\\0' '\\001\\n' <"$private/targets" | while IFS= read -r target; do
    case $target/ in "$2"/*) ;; *) echo yes; break ;; esac
  done)
  [ -z "$outside" ] || fail "'$1' has a link that leads out of '$2'"
}
# hash_of_folder FOLDER: prints a hash of the names and contents of all files
hash_of_folder() {
  (cd -- "$1" && find -L . \\( -path './..*' -o -name '.millrace-*' \\) -prune -o -type f -print0) >"$private/found" ||
    fail "'$1' cannot be read whole"
  LC_ALL=C sort -z <"$private/found" >"$private/files"
  (cd -- "$1" && xargs -0 -r sha256sum -- <"$private/files") >"$private/sums" || fail "'$1' cannot be read whole"
  sha256sum <"$private/sums" | cut -c1-64
}
hash_of_file() { sha256sum <"$1" | cut -c1-64; }
# copy_folder FROM TO: copies the files, and the targets of links as files. Errors of the first tar are noticed
# because the caller compares the hashes.
copy_folder() {
  tar -C "$1" -h --hard-dereference --anchored --exclude='./..*' --no-anchored --exclude='.millrace-*' -cf - . |
    tar -C "$2" --no-same-owner -xf - || fail "'$1' cannot be copied whole"
}
# is_abandoned PATH: whether a killed put left the unfinished file or folder
is_abandoned() { [ -z "$(find "$1" -cmin -${UNFINISHED_MINUTES} -print -quit 2>&1)" ]; }
`;
