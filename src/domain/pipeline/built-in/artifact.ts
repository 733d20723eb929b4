import { builtInCommand, builtInScript } from './built-in-script.ts';
import { s3Prelude } from './s3-prelude.ts';
import { volumePrelude } from './volume-prelude.ts';

/*
 * The scripts of the type artifact, for `sh -e` with GNU tools and curl. An archive is named by the hash of
 * its content: the same files have the same version and are stored once. Beside the archives, `index/` has
 * entries, which are empty files: each put adds one, unless its archive is already the newest. Sorted by
 * name, the entry of the newest put comes first. No put rewrites an entry, so puts need no lock. Checks skip
 * entries without an archive. A put to a volume removes such entries, and all but the newest entry of each
 * archive. In a bucket, a lifecycle rule must do that.
 *
 * `base_dir` is a folder on a volume of the Team, `bucket` a bucket in a store with the API of S3. Each
 * script calls the functions `*_volume` or `*_s3`, depending on which of the two the resource has.
 */

const prelude = `
fail() { printf 'artifact: %s\\n' "$1" >&2; exit 1; }
${volumePrelude}${s3Prelude}
cd -- "$start"
base=\${param_base_dir-}
base=\${base%/}
if [ -n "$base" ] && [ -n "$bucket" ]; then fail 'the resource has both base_dir and bucket'; fi
if [ -n "$base" ]; then
  place=volume
  check_path "$base"
  place_on_volume "$base"
elif [ -n "$bucket" ]; then
  place=s3
  check_store
else
  fail 'the resource needs base_dir, a folder on a volume of the team, or bucket'
fi
max_mb=\${param_max_size_mb:-1024}
case $max_mb in
  *[!0-9]* | ?????*) fail "max_size_mb '$max_mb' is not a number from 1 to 5000" ;;
esac
if [ "$max_mb" -lt 1 ] || [ "$max_mb" -gt 5000 ]; then fail "max_size_mb '$max_mb' is not a number from 1 to 5000"; fi
max_bytes=$((max_mb * 1000000))
# check_size FILE: fails if the file is larger than allowed
check_size() {
  if [ "$(stat -c %s -- "$1")" -gt "$max_bytes" ]; then too_large; fi
}
too_large() { fail "the files have more than $max_mb MB, the limit of the resource (max_size_mb)"; }
# check_inside NAME FOLDER: fails if the folder is outside the working directory, also through links
check_inside() {
  case /$2/ in
    // | //* | */../*) fail "$1 '$2' is not a directory in the working directory" ;;
  esac
  case $(realpath -m -- "$2")/ in
    "$(realpath -e -- .)"/*) ;;
    *) fail "$1 '$2' is a link that leads out of the working directory" ;;
  esac
}
# list_volume, list_s3: write the names of the newest entries to $private/entries, newest first
: >"$private/entries"
list_volume() {
  if [ -d "$base/index" ]; then
    find "$base/index" -maxdepth 1 -type f -printf '%f\\n' | LC_ALL=C sort | head -n 1000 >"$private/entries"
  fi
}
list_s3() {
  in_index=$(printf '%s' "\${prefix:+$prefix/}index/" | sed 's,/,%2F,g')
  s3 'listing the artifacts' "$endpoint/$bucket?list-type=2&max-keys=1000&prefix=$in_index" \\
    -H "x-amz-content-sha256: $EMPTY_SHA256"
  [ "$status" = 200 ] || fail_s3 'listing the artifacts'
  sed 's,<Key>,\\n<Key>,g' "$private/answer" |
    sed -n 's,^<Key>\\([^<]*\\)</Key>.*,\\1,p' | sed 's,.*/,,' >"$private/entries"
}
find_archive_s3() { s3 'looking for the archive' "$objects$1.tar.gz" -I -H "x-amz-content-sha256: $EMPTY_SHA256"; }
# is_gone_volume HASH, is_gone_s3 HASH: whether there is no archive
is_gone_volume() { [ ! -e "$base/$1.tar.gz" ]; }
is_gone_s3() {
  find_archive_s3 "$1"
  case $status in
    200) false ;;
    404) ;;
    *) fail_s3 'looking for the archive' ;;
  esac
}
is_hash() { case $1 in *[!0-9a-f]*) false ;; *) [ \${#1} = 64 ] ;; esac; }
`;

export const check = builtInScript(`${prelude}
list_$place
# The newest entry is first. Entries before the last known version are new. The first check prints only the newest.
versions= count=0
while IFS= read -r entry; do
  hash=\${entry#*-}
  is_hash "$hash" || continue
  [ "$hash" != "\${version_hash-}" ] || break
  case $versions in *"$hash"*) continue ;; esac
  if is_gone_$place "$hash"; then continue; fi
  versions="{\\"hash\\":\\"$hash\\"}\${versions:+,$versions}"
  count=$((count + 1))
  if [ -z "\${version_hash-}" ] || [ $count -ge 100 ]; then break; fi
done <"$private/entries"
printf '[%s]\\n' "$versions"
`);

export const push = builtInScript(`${prelude}
dir=\${put_dir-}
[ -n "$dir" ] || fail 'the put needs dir, the directory to store'
check_inside dir "$dir"
[ -d "$dir" ] || fail "there is no directory '$dir'"
# The limit of the file's size ends tar before it fills the disk.
pack() {
  trap '' XFSZ
  ulimit -f $((max_bytes / 512 + 1))
  exec tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=gnu -C "$dir" -cf "$private/tar" . \\
    2>"$private/errors"
}
if ! (pack); then
  if [ "$(stat -c %s -- "$private/tar")" -ge "$max_bytes" ]; then too_large; fi
  head -c 2000 "$private/errors" >&2
  fail "'$dir' cannot be read whole"
fi
check_size "$private/tar"
hash=$(sha256sum <"$private/tar" | cut -c1-64)
is_hash "$hash" || fail 'the archive cannot be read again'
entry=$((9999999999999 - $(date +%s%3N)))-$hash
is_newest() {
  list_$place
  newest=$(head -n 1 "$private/entries")
  [ "\${newest#*-}" = "$hash" ]
}
# tidy_volume: removes entries whose archive is gone, and all but the newest entry of an archive
tidy_volume() {
  find "$base/index" -maxdepth 1 -type f -printf '%f\\n' | grep -E '^[0-9]{13}-[0-9a-f]{64}$' |
    LC_ALL=C sort >"$private/all"
  LC_ALL=C sort -t - -k 2,2 -s -u "$private/all" | LC_ALL=C sort >"$private/newest"
  LC_ALL=C comm -23 "$private/all" "$private/newest" >"$private/needless"
  while IFS= read -r name; do
    if is_gone_volume "\${name#*-}"; then printf '%s\\n' "$name"; fi
  done <"$private/newest" >>"$private/needless"
  while IFS= read -r name; do rm -f -- "$base/index/$name" || true; done <"$private/needless"
}
store_volume() {
  mkdir -p -- "$base/index" || fail "'$base' cannot be written to"
  for unfinished in "$base"/.millrace-??????; do
    if [ -f "$unfinished" ] && is_abandoned "$unfinished"; then rm -f -- "$unfinished" || true; fi
  done
  tidy_volume
  archive=$base/$hash.tar.gz
  if is_gone_volume "$hash"; then
    unfinished=$(mktemp -- "$base/.millrace-XXXXXX") || fail "'$base' cannot be written to"
    trap 'rm -rf -- "$private" "$unfinished"' EXIT
    gzip -n -c -- "$private/tar" >"$unfinished" || fail "the archive cannot be written to '$base'"
    chmod 0644 "$unfinished"
    mv -f -- "$unfinished" "$archive"
  else
    # People delete archives by age, so an archive that a put uses again gets a new time.
    touch -c -- "$archive" 2>/dev/null || true
    if is_newest; then return; fi
  fi
  : >"$base/index/$entry"
}
store_s3() {
  find_archive_s3 "$hash"
  if [ "$status" = 200 ]; then
    if is_newest; then return; fi
  else
    gzip -n -- "$private/tar"
    sum=$(sha256sum <"$private/tar.gz" | cut -c1-64)
    s3 'storing the archive' "$objects$hash.tar.gz" -T "$private/tar.gz" -H "x-amz-content-sha256: $sum"
    [ "$status" = 200 ] || fail_s3 'storing the archive'
  fi
  : >"$private/empty"
  s3 'entering the archive' "\${objects}index/$entry" -T "$private/empty" -H "x-amz-content-sha256: $EMPTY_SHA256"
  [ "$status" = 200 ] || fail_s3 'entering the archive'
}
store_$place
printf '{"hash":"%s"}\\n' "$hash"
`);

export const pull = builtInScript(`${prelude}
hash=\${version_hash-}
is_hash "$hash" || fail "'$hash' is not the hash of an archive"
dir=\${param_dir:-.}
check_inside dir "$dir"
fetch_volume() {
  archive=$base/$hash.tar.gz
  [ -e "$archive" ] || fail "the archive $hash is not in $base any more"
}
fetch_s3() {
  archive=$private/answer
  s3 'fetching the archive' "$objects$hash.tar.gz" -H "x-amz-content-sha256: $EMPTY_SHA256" \\
    --max-filesize $((max_bytes + max_bytes / 100 + 1000000))
  if [ "$status" = 404 ]; then fail "the archive $hash is not in the bucket $bucket any more"; fi
  [ "$status" = 200 ] || fail_s3 'fetching the archive'
}
fetch_$place
gzip -dc -- "$archive" 2>/dev/null | head -c $((max_bytes + 1)) >"$private/tar"
check_size "$private/tar"
[ "$(sha256sum <"$private/tar" | cut -c1-64)" = "$hash" ] || fail "the archive $hash is damaged"
mkdir -p -- "$dir"
tar -xf "$private/tar" --no-same-owner -C "$dir"
`);

export const artifact = `
resource_type "artifact" {
  params = [
    "dir", "base_dir", "endpoint", "bucket", "region", "prefix", "access_key_id", "secret_access_key", "session_token",
    "max_size_mb",
  ]
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
