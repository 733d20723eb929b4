import { builtInCommand, builtInScript } from './built-in-script.ts';

/*
 * The scripts of the type fs, for `sh -ec` with GNU find, sort, stat and jq. A version names its content by
 * hash, so a get of a version whose content is gone fails instead of bringing something else.
 */

const prelude = `
fail() { printf 'fs: %s\\n' "$1" >&2; exit 1; }
path=\${param_path-}
case $path in
  /*) ;;
  *) fail "the path '$path' is not absolute" ;;
esac
hash_of() {
  if [ -d "$path" ]; then
    (cd -- "$path" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum -- | sha256sum)
  else
    sha256sum <"$path"
  fi | cut -c1-64
}
`;

export const check = builtInScript(`${prelude}
if [ ! -e "$path" ]; then echo '[]'; exit 0; fi
[ -r "$path" ] || fail "'$path' cannot be read"
hash=$(hash_of)
[ \${#hash} = 64 ] || fail "'$path' cannot be read whole"
if [ "$hash" = "\${version_hash-}" ]; then echo '[]'; exit 0; fi
if [ -d "$path" ]; then
  jq -cn --arg path "$path" --arg hash "$hash" '[{path: $path, hash: $hash}]'
else
  jq -cn --arg path "$path" --arg hash "$hash" --arg modified "$(stat -L -c %Y -- "$path")" --arg size "$(stat -L -c %s -- "$path")" \\
    '[{path: $path, hash: $hash, modified: $modified, size: $size}]'
fi
`);

export const pull = builtInScript(`${prelude}cd -- "$start"

[ -e "$path" ] || fail "'$path' is not there any more"
if [ "$(hash_of)" != "\${version_hash-}" ]; then
  fail "'$path' has changed since this version was found; what is there now is a newer one"
fi
if [ -d "$path" ]; then
  cp -R -P -p -- "$path/." .
else
  cp -L -p -- "$path" .
fi
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
}
`;
