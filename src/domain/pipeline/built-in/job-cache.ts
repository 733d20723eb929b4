/*
 * The scripts of a cache of a job, for `sh -e` with GNU tools. `$CACHE_DIR` has a directory for each key,
 * named by the hash of the key, with the key and an archive of the path. Only one build uses the volume at a
 * time. An error in a script does not fail a build: the script only prints it.
 */

/** How many keys a cache of a job keeps: the newest ones. */
export const MAX_CACHE_KEYS = 5;
/** How long writing the archive of one key may take. */
export const CACHE_SAVE_SECONDS = 600;

const prelude = `
export LC_ALL=C
if [ -z "\${CACHE_DIR-}" ]; then echo 'This build has no cache.'; exit 0; fi
entry=$CACHE_DIR/$(printf '%s' "$cache_key" | sha256sum | cut -c1-64)
# Prints the entries, newest first. Their names are hashes.
entries() { ls -1t -- "$CACHE_DIR" | grep -E '^[0-9a-f]{64}$' || true; }
`;

export const restoreScript = `${prelude}
found=
if [ -f "$entry/files.tar" ]; then
  found=$entry
elif [ -n "$cache_prefix" ]; then
  for name in $(entries); do
    case $(cat -- "$CACHE_DIR/$name/key" 2>/dev/null) in
      "$cache_prefix"*) found=$CACHE_DIR/$name; break ;;
    esac
  done
fi
if [ -z "$found" ]; then echo "There is nothing for the key $cache_key."; exit 0; fi
# The archive is extracted into another directory first, so a broken archive leaves nothing behind.
if ! new=$(mktemp -d -- "$PWD/.millrace-cache-XXXXXX"); then exit 0; fi
trap 'rm -rf -- "$new"' EXIT
merge() { cp --recursive --no-dereference --preserve=mode,timestamps,links --no-target-directory -- "$1" "$2"; }
move() { mkdir -p -- "$(dirname -- "$2")" && mv -- "$1" "$2"; }
if ! tar --extract --no-same-owner --file "$found/files.tar" --directory "$new"; then
  echo 'The archive cannot be read, so it is removed.'
  rm -rf -- "$found" || true
elif if [ -e "$cache_path" ]; then merge "$new/$cache_path" "$cache_path"; else move "$new/$cache_path" "$cache_path"; fi
then
  echo "Restored $cache_path from the key $(cat -- "$found/key")."
  touch -- "$found" || true
else
  echo "$cache_path could not be restored."
fi
`;

export const saveScript = `${prelude}
if [ -f "$entry/files.tar" ]; then echo "The key $cache_key is stored already."; exit 0; fi
if [ ! -e "$cache_path" ]; then echo "There is no $cache_path to store."; exit 0; fi
# Removes the unfinished entries of builds that were killed while they saved.
rm -rf -- "$CACHE_DIR"/.new-* || true
new=$CACHE_DIR/.new-$$
# remove_from NUMBER: removes the entries from this number on, counted from the newest
remove_from() { entries | tail -n +"$1" | while IFS= read -r name; do rm -rf -- "$CACHE_DIR/$name"; done; }
# An entry gets its name when all its files are on the disk, so it is never incomplete.
store() {
  rm -rf -- "$new" &&
    mkdir -- "$new" &&
    printf '%s' "$cache_key" >"$new/key" &&
    timeout ${CACHE_SAVE_SECONDS} tar --create --file "$new/files.tar" -- "$cache_path" &&
    sync -- "$new/files.tar" &&
    rm -rf -- "$entry" &&
    mv -- "$new" "$entry"
}
stored() { echo "Stored $cache_path under the key $cache_key."; exit 0; }
remove_from ${MAX_CACHE_KEYS} || true
if message=$(store 2>&1); then stored; fi
# If the volume is full, the other entries make room for the new one. No other error removes entries.
case $message in
  *'No space left on device'* | *'quota exceeded'*)
    remove_from 1 || true
    if message=$(store 2>&1); then stored; fi
    ;;
esac
printf '%s\\n' "$message"
echo "$cache_path could not be stored."
rm -rf -- "$new" || true
`;
