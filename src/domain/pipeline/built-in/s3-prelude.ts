/**
 * Functions for scripts that use an S3-compatible store, in POSIX sh with curl. They need a function `fail`
 * and a directory `$private`. Object keys must not need URL encoding. curl reads credentials from its stdin.
 */
export const s3Prelude = `
endpoint=\${param_endpoint-} bucket=\${param_bucket-} region=\${param_region:-us-east-1} prefix=\${param_prefix-}
is_printable() { case $1 in *[![:print:]]*) false ;; esac; }
check_store() {
  endpoint=\${endpoint%/}
  case $endpoint in
    https://*[!A-Za-z0-9.:/-]* | http://*[!A-Za-z0-9.:/-]* | https:///* | http:///* | https:// | http://) bad=yes ;;
    https://*/*/* | http://*/*/*) bad=yes ;;
    https://* | http://*) host=\${endpoint#*://}; case $host in */*) bad=yes ;; *) bad= ;; esac ;;
    *) bad=yes ;;
  esac
  [ -z "$bad" ] || fail "the endpoint is not https://<host> or http://<host>"
  case $bucket in '' | *[!a-z0-9.-]* | .* | -*) fail "'$bucket' cannot be the name of a bucket" ;; esac
  case $region in *[!a-z0-9-]*) fail "'$region' cannot be the name of a region" ;; esac
  prefix=\${prefix%/}
  case /$prefix/ in
    //) ;;
    *[!A-Za-z0-9._/-]* | *//* | */./* | */../*)
      fail "the prefix '$prefix' has characters or parts that are not allowed"
      ;;
  esac
  objects=$endpoint/$bucket/\${prefix:+$prefix/}
  [ -n "\${param_access_key_id-}" ] && [ -n "\${param_secret_access_key-}" ] ||
    fail 'the store needs access_key_id and secret_access_key'
  is_printable "$param_access_key_id$param_secret_access_key\${param_session_token-}" ||
    fail 'the credentials have characters that are not allowed'
}
escaped() { printf '%s' "$1" | sed 's/[\\\\"]/\\\\&/g'; }
# s3 ACTION URL [OPTION…]: sends a request. Sets status, and writes the answer to $private/answer.
# ACTION names the request in error messages.
s3() {
  action=$1 url=$2
  shift 2
  status=$({
    printf 'user = "%s:%s"\\n' "$(escaped "$param_access_key_id")" "$(escaped "$param_secret_access_key")"
    if [ -n "\${param_session_token-}" ]; then
      printf 'header = "x-amz-security-token: %s"\\n' "$(escaped "$param_session_token")"
    fi
  } | curl -q -sS -K - --aws-sigv4 "aws:amz:$region:s3" --proto '=https,http' --connect-timeout 20 \\
    --speed-limit 100 --speed-time 60 --retry 2 -o "$private/answer" -w '%{http_code}' "$@" "$url") ||
    fail "$action: the store at $endpoint cannot be reached"
}
# fail_s3 ACTION: fails with the status and error code of the store
fail_s3() {
  code=$(head -c 10000 "$private/answer" 2>/dev/null | sed -n 's,.*<Code>\\([A-Za-z0-9]*\\)</Code>.*,\\1,p' | head -n 1)
  fail "$1: the store answered $status\${code:+ ($code)}"
}
EMPTY_SHA256=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
`;
