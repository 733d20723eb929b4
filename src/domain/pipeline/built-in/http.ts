import { builtInCommand, builtInScript } from './built-in-script.ts';

/*
 * The scripts of the type http, for `sh -e` with curl and jq. A version is a value in a JSON answer, or it
 * identifies the content: by the ETag or the Last-Modified of the answer, otherwise by a hash. curl reads URL
 * and token from its standard input, so they are in no argument list.
 */

/** The maximum size of an answer from which a value is read. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** The exit code of jq for a number with more digits than jq can keep. */
const ROUNDED = 9;

const prelude = `
fail() { printf 'http: %s\\n' "$1" >&2; exit 1; }
url=\${param_url-}
case $url in
  https://*) redirects='=https' ;;
  http://*) redirects='=https,http' ;;
  *) fail 'the parameter url is not an https:// or http:// URL' ;;
esac
case "$url\${param_token-}" in
  *[[:cntrl:]]*) fail 'the parameters url and token have control characters' ;;
esac
quoted() { printf '%s' "$1" | sed 's/[\\\\"]/\\\\&/g'; }
# request FILE OPTION…: writes the content to FILE, and the headers to $private/headers
request() {
  content=$1
  shift
  status=$(
    {
      printf 'url = "%s"\\n' "$(quoted "$url")"
      if [ -n "\${param_token-}" ]; then
        printf 'header = "Authorization: Bearer %s"\\n' "$(quoted "$param_token")"
      fi
    } | curl -q --config - --silent --show-error --globoff --location --max-redirs 5 \\
      --proto '=https,http' --proto-redir "$redirects" --connect-timeout 20 --retry 2 \\
      --speed-limit 100 --speed-time 60 --dump-header "$private/headers" --output "$content" \\
      --write-out '%{http_code}' "$@"
  )
}
# get FILE: fails unless the server sends the content
get() {
  request "$1" || fail 'the server cannot be reached'
  case $status in
    2??) if [ ! -e "$1" ]; then : >"$1"; fi ;;
    *) fail "the server answered with status $status" ;;
  esac
}
# header NAME: prints the value in the last answer, after redirects
header() {
  tr -d '\\r' <"$private/headers" | awk -v name="$1" '
    /^HTTP\\// { value = "" }
    tolower(substr($0, 1, length(name) + 1)) == name ":" {
      value = substr($0, length(name) + 2); gsub(/^[ \\t]+|[ \\t]+$/, "", value)
    }
    END { print value }'
}
json_path=\${param_json_path-}
case $json_path in *[!A-Za-z0-9_.\\[\\]-]*) fail 'the parameter json_path is not a path such as .releases[0].tag' ;; esac
# value_in FILE: prints the value at json_path
value_in() {
  if [ "$(wc -c <"$1")" -gt ${MAX_JSON_BYTES} ]; then fail 'the answer is larger than 16 MiB'; fi
  value_at "$1" && return 0
  if [ $? = ${ROUNDED} ]; then
    quote_long_numbers <"$1" >"$private/quoted"
    value_at "$private/quoted" && return 0
  fi
  fail "there is no text, number or truth value at $json_path: $(head -c 300 "$private/problem")"
}
# Puts quotes around long whole numbers outside of texts. The first expression writes two marks after each text, and
# one before and after each number. The others remove the marks after texts, and turn the rest into quotes.
quote_long_numbers() {
  left=$(printf '\\001') right=$(printf '\\002')
  LC_ALL=C sed -E 's/("([^"\\\\]|\\\\.)*")|(-?[0-9]{16,}[0-9.eE+-]*)/\\1'"$left"'\\3'"$right"'/g
    s/'"$left$right"'//g; s/['"$left$right"']/"/g'
}
# value_at FILE: prints the value at json_path. Returns ${ROUNDED} if jq has rounded it.
value_at() {
  jq -rs --arg path "$json_path" '
    if length == 1 then .[0] else error("is \\(length) JSON values") end
    | [$path | scan("\\\\.([A-Za-z0-9_-]+)|\\\\[([0-9]+)\\\\]")
      | if .[0] then .[0] else (.[1] | tonumber) end] as $keys
    | getpath($keys)
    | if type == "number" and (. >= 9007199254740992 or . <= -9007199254740992) then
        "a number with too many digits" | halt_error(${ROUNDED}) else . end
    | if type == "string" or type == "number" or type == "boolean" then tostring
      else error("is " + type) end' "$1" 2>"$private/problem"
}
hash_of() { sha256sum <"$1" | cut -c 1-64; }
# print_version: prints the version of the last answer, or nothing if only a hash of the content would show it
print_version() {
  etag=$(header etag)
  modified=$(header last-modified)
  if [ -n "$etag" ]; then jq -cn --arg etag "$etag" '{etag: $etag}'
  elif [ -n "$modified" ]; then jq -cn --arg modified "$modified" '{modified: $modified}'; fi
}
`;

export const check = builtInScript(`${prelude}
if [ -n "$json_path" ]; then
  get "$private/content"
  value=$(value_in "$private/content")
  jq -cn --arg value "$value" '[{value: $value}]'
  exit 0
fi
version=
if request /dev/null --head; then
  case $status in 2??) version=$(print_version) ;; esac
fi
if [ -z "$version" ]; then
  get "$private/content"
  version=$(print_version)
fi
if [ -z "$version" ]; then
  version=$(jq -cn --arg hash "$(hash_of "$private/content")" '{hash: $hash}')
fi
printf '[%s]\\n' "$version"
`);

export const pull = builtInScript(`${prelude}
file=\${param_file:-response}
case /$file/ in
  //* | */../* | */./*) fail "'$file' cannot be the name of a file in the working directory" ;;
esac
get "$private/content"
if [ -n "\${version_value-}" ]; then
  [ -n "$json_path" ] || fail 'the version has a value, and the parameter json_path is empty'
  found=$(value_in "$private/content") expected=$version_value
elif [ -n "\${version_etag-}" ]; then found=$(header etag) expected=$version_etag
elif [ -n "\${version_modified-}" ]; then found=$(header last-modified) expected=$version_modified
else found=$(hash_of "$private/content") expected=\${version_hash-}; fi
[ "$found" = "$expected" ] ||
  fail 'the content has changed since this version was found; a newer version is there now'
cd -- "$start"
case $file in */*) mkdir -p -- "./\${file%/*}" ;; esac
cp -- "$private/content" "./$file"
`);

export const http = `
resource_type "http" {
  params = ["url", "token", "json_path", "file"]
  check "shell" {
    cmd = ${builtInCommand(check)}
  }
  pull "shell" {
    cmd = ${builtInCommand(pull)}
  }
}
`;
