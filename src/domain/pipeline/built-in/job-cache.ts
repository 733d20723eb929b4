/*
 * The scripts of a cache of a job, for `sh -e` with GNU tools. `$CACHE_DIR` has a directory for each key, named
 * by the key's hash: the key, and an archive of the path. Only one build uses the volume at a time. Nothing here
 * fails a build: what goes wrong is printed.
 */

/** Keys that a cache of a job keeps: the newest. */
export const MAX_CACHE_KEYS = 5;
/** Time to write the archive of one key. */
export const CACHE_SAVE_SECONDS = 600;

const prelude = `
export LC_ALL=C
if [ -z "\${CACHE_DIR-}" ]; then echo 'This build has no cache.'; exit 0; fi
entry=$CACHE_DIR/$(printf '%s' "$cache_key" | sha256sum | cut -c1-64)
# The entries, newest first: their names are hashes.
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
# Extracted beside its place first: a broken archive leaves nothing behind.
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
# The rest of builds that were killed.
rm -rf -- "$CACHE_DIR"/.new-* || true
new=$CACHE_DIR/.new-$$
keep() { entries | tail -n +"$1" | while IFS= read -r name; do rm -rf -- "$CACHE_DIR/$name"; done; }
# Whole or not at all: an entry has its name when its files are on the disk.
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
keep ${MAX_CACHE_KEYS} || true
if said=$(store 2>&1); then stored; fi
# A full volume makes room for the new entry. Whatever else went wrong costs no entry.
case $said in
  *'No space left on device'* | *'quota exceeded'*)
    keep 1 || true
    if said=$(store 2>&1); then stored; fi
    ;;
esac
printf '%s\\n' "$said"
echo "$cache_path could not be stored."
rm -rf -- "$new" || true
`;
