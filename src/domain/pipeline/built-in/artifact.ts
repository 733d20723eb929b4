import { builtInCommand, builtInScript } from './built-in-script.ts';

/*
 * The scripts of the type artifact, for `sh -ec` with GNU tar. An archive is named by the hash of its
 * content: the same files make the same version, and are kept once.
 */

const prelude = `
cd -- "$start"
fail() { printf 'artifact: %s\\n' "$1" >&2; exit 1; }
base=\${param_base_dir:-\${CACHE_DIR-}}
[ -n "$base" ] || fail 'there is no directory to keep it in: set base_dir, or let the resource have a cache'
inside() {
  case /$2/ in
    // | //* | */../*) fail "$1 '$2' is not a directory in the working directory" ;;
  esac
}
`;

export const push = builtInScript(`${prelude}
dir=\${put_dir-}
[ -n "$dir" ] || fail 'the put needs dir, the directory to keep'
inside dir "$dir"
[ -d "$dir" ] || fail "there is no directory '$dir'"
mkdir -p -- "$base"
unfinished=$(mktemp -- "$base/.unfinished-XXXXXX")
trap 'rm -rf -- "$private" "$unfinished" "$unfinished.gz"' EXIT
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=gnu -C "$dir" -cf "$unfinished" .
hash=$(sha256sum <"$unfinished" | cut -c1-64)
[ \${#hash} = 64 ] || fail 'the archive cannot be read again'
if [ ! -e "$base/$hash.tar.gz" ]; then
  gzip -n -- "$unfinished"
  chmod 0644 "$unfinished.gz"
  mv -- "$unfinished.gz" "$base/$hash.tar.gz"
fi
printf '{"hash":"%s"}\\n' "$hash"
`);

export const pull = builtInScript(`${prelude}
hash=\${version_hash-}
case $hash in
  '' | *[!0-9a-f]*) fail "'$hash' is not the hash of an archive" ;;
esac
dir=\${param_dir:-.}
inside dir "$dir"
archive=$base/$hash.tar.gz
[ -e "$archive" ] || fail "the archive $hash is not in $base any more"
[ "$(gzip -dc -- "$archive" | sha256sum | cut -c1-64)" = "$hash" ] || fail "the archive $hash is damaged"
mkdir -p -- "$dir"
tar -xzf "$archive" --no-same-owner -C "$dir"
`);

export const artifact = `
resource_type "artifact" {
  params = ["dir", "base_dir"]
  cache  = true
  pull "shell" {
    cmd = ${builtInCommand(pull)}
  }
  push "shell" {
    cmd = ${builtInCommand(push)}
  }
}
`;
