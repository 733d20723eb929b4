/** Media types of manifests that the scripts read and write. */
const MANIFEST_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

/** The specification asks registries to accept manifests up to this size. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

/**
 * Reads the parameters. Names of images mean the same as in container runtimes. Plain HTTP is only for
 * registries on this machine, unless `insecure` is true.
 */
const names = `
fail() { printf 'registry-image: %s\\n' "$1" >&2; exit 1; }
matches() { printf '%s\\n' "$2" | LC_ALL=C grep -Eqx -- "$1" && [ "$(printf '%s\\n' "$2" | wc -l)" = 1 ]; }
check_tag() { matches '[A-Za-z0-9_][A-Za-z0-9._-]{0,127}' "$1" || fail "'$1' cannot be a tag"; }
is_digest() { matches 'sha256:[0-9a-f]{64}' "$1"; }
repository=\${param_repository-}
[ -n "$repository" ] || fail 'the parameter repository is empty'
host=\${repository%%/*} path=\${repository#*/}
case $repository in
  */*) case $host in *[.:A-Z]* | localhost) ;; *) host=docker.io path=$repository ;; esac ;;
  *) host=docker.io path=$repository ;;
esac
if [ "$host" = docker.io ] || [ "$host" = index.docker.io ]; then
  host=registry-1.docker.io
  case $path in */*) ;; *) path=library/$path ;; esac
fi
case $path in *:* | *@*) fail "the repository '$repository' has a tag or a digest: use the parameter tag" ;; esac
word='[a-z0-9]+([._-]+[a-z0-9]+)*'
matches '[A-Za-z0-9.-]+(:[0-9]{1,5})?' "$host" && matches "$word(/$word)*" "$path" && [ "\${#repository}" -le 255 ] ||
  fail "'$repository' cannot be the name of a repository"
case \${param_insecure:-false} in
  true) plain=yes ;;
  false) plain= ;;
  *) fail 'insecure must be true or false' ;;
esac
if matches '(localhost|127([.][0-9]{1,3}){3})(:[0-9]+)?' "$host"; then plain=yes; fi
if [ -n "$plain" ]; then origin=http://$host protocols='=https,http'
else origin=https://$host protocols='=https'; fi
api=$origin/v2/$path
username=\${param_username-} password=\${param_password-}
case $username$password in *[[:cntrl:]]*) fail 'the credentials have control characters' ;; esac
case $username in *:*) fail 'the username has a colon' ;; esac
if [ -n "$username" ] && [ -z "$password" ]; then fail 'the username needs a password too'; fi
if [ -z "$username" ] && [ -n "$password" ]; then fail 'the password needs a username too'; fi
`;

/** Requests. curl reads URLs and credentials from its standard input, so they are in no argument list. */
const requests = `
authorization= login=
quoted() { printf '%s' "$1" | sed 's/[\\\\"]/\\\\&/g'; }
# send URL FILE [OPTION…]: writes the content to FILE, the headers to $private/headers. Sets status and redirects.
max_bytes=${MAX_MANIFEST_BYTES}
send() {
  to=$1 content=$2 sent=
  shift 2
  rm -f -- "$content"
  : >"$private/headers"
  case $to in "$origin"/*) sent=$authorization ;; esac
  sent=\${login:-$sent}
  answer=$(
    {
      printf 'url = "%s"\\n' "$(quoted "$to")"
      if [ -n "$sent" ]; then printf 'header = "Authorization: %s"\\n' "$(quoted "$sent")"; fi
    } | (
      trap '' XFSZ
      ulimit -f $((max_bytes / 512 + 1))
      exec curl -q --config - --silent --show-error --globoff --proto "$protocols" --proto-redir "$protocols" \\
        --connect-timeout 20 --speed-limit 100 --speed-time 60 --retry 2 --retry-max-time 60 \\
        --max-filesize "$max_bytes" --dump-header "$private/headers" --output "$content" \\
        --write-out '%{http_code} %{num_redirects}' "$@"
    ) 2>"$private/problem"
  ) || explain_curl $?
  status=\${answer% *} redirects=\${answer#* }
  if [ ! -e "$content" ]; then : >"$content"; fi
}
explain_curl() {
  case $1 in
    6) fail "the registry $host has no known address" ;;
    7) fail "the registry $host refuses connections" ;;
    23 | 63) fail "the registry $host sends more than $max_bytes bytes, which is more than it should" ;;
    28) fail "the registry $host does not answer in time" ;;
    35) fail "the registry $host does not speak TLS: insecure = true allows plain HTTP" ;;
    60) fail "the certificate of the registry $host is not valid" ;;
    *) fail "the registry $host cannot be reached: $(head -c 300 "$private/problem" | tr -cd '[:print:]')" ;;
  esac
}
# headers NAME: prints the values in the last answer, one per line
headers() {
  tr -d '\\r' <"$private/headers" | awk -v name="$1" '
    /^HTTP\\// { count = 0 }
    tolower(substr($0, 1, length(name) + 1)) == name ":" {
      value = substr($0, length(name) + 2); gsub(/^[ \\t]+|[ \\t]+$/, "", value); values[++count] = value
    }
    END { for (line = 1; line <= count; line++) print values[line] }' | head -c 8192
}
header() { headers "$1" | tail -n 1; }
# ask URL FILE [OPTION…]: like send, but logs in and sends again if the registry itself demands a login
ask() {
  send "$@"
  if [ "$status" = 401 ] && [ "$redirects" = 0 ] && log_in; then send "$@"; fi
}
`;

/** Logins with a password or a token, as the registry demands in its challenge (RFC 9110, 11.6.1). */
const logins = `
basic() { printf 'Basic %s' "$(printf '%s:%s' "$username" "$password" | base64 -w 0)"; }
# log_in: sets authorization by the challenge of the last answer; fails if no login is possible
log_in() {
  headers www-authenticate | jq -cR '
    [scan("([A-Za-z0-9!#$%&*+.^_|~-]+)(?:\\\\s*=\\\\s*(?:\\"((?:[^\\"\\\\\\\\]|\\\\\\\\.)*)\\"|([^\\\\s\\",]+)))?")]
    | reduce .[] as [$name, $quoted, $plain] ([];
        (if $quoted then $quoted | gsub("\\\\\\\\(?<escaped>.)"; .escaped) else $plain end) as $value
        | if $value == null then . + [{scheme: ($name | ascii_downcase)}]
          elif length > 0 then .[-1][$name | ascii_downcase] = $value else . end)
    | .[]' >"$private/challenges"
  realm=$(jq -rs 'map(select(.scheme == "bearer" and .realm)) | first | .realm // ""' "$private/challenges")
  if [ -n "$realm" ]; then fetch_token; return; fi
  jq -es 'any(.scheme == "basic")' "$private/challenges" >"$private/found" || return 1
  if [ -z "$username" ] || [ "$authorization" = "$(basic)" ]; then return 1; fi
  authorization=$(basic)
}
fetch_token() {
  matches 'https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[^#[:space:]]*)?' "$realm" ||
    { [ -n "$plain" ] && matches 'http://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[^#[:space:]]*)?' "$realm"; } ||
    fail "the registry $host names no valid https:// address for its logins"
  query=$(jq -rs --arg scope "repository:$path:$access" '
    map(select(.scheme == "bearer" and .realm)) | first
    | (if .service then "service=" + (.service | @uri) + "&" else "" end) + "scope=" + ($scope | @uri)' "$private/challenges")
  case $realm in *\\?*) query="$realm&$query" ;; *) query="$realm?$query" ;; esac
  authorization=
  if [ -n "$username" ]; then login=$(basic); fi
  send "$query" "$private/token"
  login=
  case $status in
    200) ;;
    400 | 401 | 403)
      status=401
      return 1
      ;;
    *) fail_with 'the login' ;;
  esac
  token=$(jq -r '[.token, .access_token] | map(select(type == "string" and test("^[!-~]+$"))) | first // ""' \\
    "$private/token" 2>"$private/problem") || token=
  rm -f -- "$private/token"
  [ -n "$token" ] || fail "the login at the registry $host gives no token"
  authorization="Bearer $token"
}
`;

const answers = `
# fail_with SUBJECT: fails, and says what the status of the last answer means for the subject
fail_with() {
  details=$(jq -r '[.errors[]?.message | strings] | join("; ")' "$content" 2>"$private/problem" | head -c 300 |
    tr -cd '[:print:]') || details=
  details=\${details:+ ($details)}
  case $status in
    401 | 403)
      if [ -n "$username" ]; then fail "the registry $host refuses $1 with these credentials$details"; fi
      fail "the registry $host wants a login for $path: set username and password$details"
      ;;
    404) fail "the registry $host does not have $1$details" ;;
    429)
      after=$(header retry-after)
      fail "the registry $host allows no more requests for now\${after:+, until $after seconds have passed}: check less often\\
$(if [ -z "$username" ]; then echo ', or set username and password for a higher limit'; fi)$details"
      ;;
    *) fail "the registry $host answered $1 with status $status$details" ;;
  esac
}
hash_of() { sha256sum <"$1" | cut -c 1-64; }
# get_manifest REFERENCE FILE: fetches a manifest by tag or digest; the status may be 404
get_manifest() {
  ask "$api/manifests/$1" "$2" --header "$accept" --location --max-redirs 5
  case $status in
    200) ;;
    404) return ;;
    *) fail_with "$path:$1" ;;
  esac
  if is_digest "$1"; then
    [ "sha256:$(hash_of "$2")" = "$1" ] || fail "the registry $host sends other content than $1"
  fi
}
accept='Accept: ${MANIFEST_TYPES.join(', ')}'
is_manifest_type() {
  case $1 in
    ${MANIFEST_TYPES.join(' | ')}) ;;
    *) false ;;
  esac
}
# check_inside NAME PATH FOLDER: fails if the path is outside the folder, also through links
check_inside() {
  case /$2/ in // | //* | */../*) fail "$1 '$2' is not in the working directory" ;; esac
  case $(realpath -m -- "$3/$2")/ in
    "$(realpath -e -- "$3")"/*) ;;
    *) fail "$1 '$2' is a link that leads out of the working directory" ;;
  esac
}
`;

/**
 * Start of the scripts of the type registry-image, for `sh -e` with curl, jq and GNU tools. The API is that
 * of the OCI distribution specification. `access` is the access that a login requests.
 */
export const registryPrelude = (access: 'pull' | 'pull,push'): string =>
  `access=${access}${names}${requests}${logins}${answers}`;
