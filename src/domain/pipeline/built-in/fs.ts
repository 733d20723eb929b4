import { builtInCommand, builtInScript } from './built-in-script.ts';
import { volumePrelude } from './volume-prelude.ts';

/*
 * The scripts of the type fs, for `sh -e` with GNU find, sort, stat, tar and jq. A version names its content
 * by hash, so a get of a version whose content is gone fails instead of copying other content.
 */

const prelude = `
fail() { printf 'fs: %s\\n' "$1" >&2; exit 1; }
${volumePrelude}
path=\${param_path-}
check_path "$path"
target=\${path%/}
parent=\${target%/*} name=\${target##*/}
exists() { [ -e "$1" ] || [ -L "$1" ]; }
# find_old: sets old to what a put has moved away from the path, if it has not yet moved the new content there
find_old() {
  old=
  if exists "$path"; then return; fi
  for folder in "$parent"/.millrace-??????; do
    if exists "$folder/content" && exists "$folder/old-$name"; then old=$folder/old-$name; fi
  done
}
# await_swap: like find_old, but first gives a running put 3 s to fill the path, so old comes from a killed put
await_swap() {
  find_old
  for pause in 1 1 1; do
    [ -n "$old" ] || break
    sleep "$pause"
    find_old
  done
}
# find_content: sets real to the file or folder that the path leads to, or to what a killed put moved away from it
find_content() {
  real=$(realpath -e -- "\${old:-$path}") || fail "'$path' cannot be read"
  volume_of "\${path%/}" "$real"
  [ -r "$real" ] || fail "'$path' cannot be read"
  if [ -d "$real" ]; then check_links "$real" "$volume"
  else [ -f "$real" ] || fail "'$path' is neither a file nor a folder"; fi
}
hash_of() {
  if [ -d "$1" ]; then hash_of_folder "$1"; else hash_of_file "$1"; fi
}
# print_version FILE HASH: prints the version of a file or folder
print_version() {
  if [ -d "$1" ]; then
    jq -cn --arg path "$path" --arg hash "$2" '{path: $path, hash: $hash}'
  else
    jq -cn --arg path "$path" --arg hash "$2" \\
      --arg modified "$(stat -L -c %Y -- "$1")" --arg size "$(stat -L -c %s -- "$1")" \\
      '{path: $path, hash: $hash, modified: $modified, size: $size}'
  fi
}
`;

export const check = builtInScript(`${prelude}
await_swap
if [ -z "$old" ] && [ ! -e "$path" ]; then echo '[]'; exit 0; fi
find_content
hash=$(hash_of "$real")
[ \${#hash} = 64 ] || fail "'$path' cannot be read whole"
if [ "$hash" = "\${version_hash-}" ]; then echo '[]'; exit 0; fi
version=$(print_version "$real" "$hash")
printf '[%s]\\n' "$version"
`);

/**
 * Copies the content first and compares the hash of the copy. If the content has changed, the get fails
 * instead of delivering other content than that of the version.
 */
export const pull = builtInScript(`${prelude}cd -- "$start"

await_swap
[ -n "$old" ] || [ -e "$path" ] || fail "'$path' is not there any more"
find_content
copy=$(mktemp -d -- "$start/.millrace-XXXXXX")
trap 'rm -rf -- "$private" "$copy"' EXIT
if [ -d "$real" ]; then
  copy_folder "$real" "$copy"
  hash=$(hash_of_folder "$copy")
else
  cp -p -- "$real" "$copy/$name"
  hash=$(hash_of_file "$copy/$name")
fi
if [ "$hash" != "\${version_hash-}" ]; then
  fail "'$path' has changed since this version was found; a newer version is there now"
fi
cp -R -P -l -f -- "$copy/." .
`);

/**
 * The new content appears at the path as a whole, never in parts. While it replaces a folder, nothing is at
 * the path for a moment. A put that fails or is stopped at that moment moves the old content back. If the put
 * is killed then, checks and gets read the old content where the put moved it, and the next put moves it back
 * first.
 */
export const push = builtInScript(`${prelude}cd -- "$start"

from=\${put_from-}
[ -n "$from" ] || fail 'the put needs from: the file or folder in the working directory to store'
case /$from/ in
  //* | */../*) fail "from '$from' is not in the working directory" ;;
esac
source=$(realpath -e -- "$from") || fail "there is no '$from' in the working directory"
outer=$(realpath -e -- .)
case $source/ in "$outer"/*) ;; *) fail "from '$from' is a link that leads out of the working directory" ;; esac
if [ -d "$source" ]; then check_links "$source" "$outer"
else [ -f "$source" ] || fail "'$from' is neither a file nor a folder"; fi
path=$target
if [ -e "$path" ] && [ "$(stat -c %m -- "$path")" = "$path" ]; then
  fail "'$path' is the volume itself: put to a file or folder on it"
fi
place_on_volume "$parent"
mkdir -p -- "$parent" || fail "'$parent' cannot be created"
await_swap
if [ -n "$old" ]; then mv -T -- "$old" "$path" || fail "what was at '$path' cannot be moved back"; fi
# restore_old FOLDER: moves back what a killed put moved away, unless there is something else now
restore_old() {
  for kept in "$1"/old-*; do
    place=$parent/\${kept#"$1/old-"}
    if exists "$kept" && exists "$1/content" && ! exists "$place"; then mv -T -- "$kept" "$place" || return; fi
  done
}
for folder in "$parent"/.millrace-??????; do
  if [ -d "$folder" ] && is_abandoned "$folder" && restore_old "$folder"; then rm -rf -- "$folder" || true; fi
done
new=$(mktemp -d -- "$parent/.millrace-XXXXXX") || fail "'$parent' cannot be written to"
# Old content that cannot be moved back stays for the next put.
clean_up() {
  if exists "$new/old-$name" && ! exists "$path"; then mv -T -- "$new/old-$name" "$path" || return; fi
  rm -rf -- "$new"
}
trap 'rm -rf -- "$private"; clean_up' EXIT
chmod 0755 "$new"
hash=$(hash_of "$source")
if [ -d "$source" ]; then
  mkdir -- "$new/content"
  copy_folder "$source" "$new/content"
else
  cp -p -- "$source" "$new/content" || fail "'$from' cannot be copied whole"
fi
[ "$hash" = "$(hash_of "$new/content")" ] || fail "'$from' changed while it was copied"
if [ -d "$path" ] || [ -d "$new/content" ]; then
  if exists "$path"; then mv -T -- "$path" "$new/old-$name" || fail "'$path' cannot be replaced"; fi
  mv -T -- "$new/content" "$path" || fail "'$path' cannot be replaced"
else
  mv -fT -- "$new/content" "$path" || fail "'$path' cannot be replaced"
fi
print_version "$path" "$hash"
`);

export const fs = `
resource_type "fs" {
  params = ["path"]
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
