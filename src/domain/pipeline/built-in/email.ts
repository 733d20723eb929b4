import { builtInCommand, builtInScript } from './built-in-script.ts';
import { defaultMessage } from './default-message.ts';

/** The maximum number of recipients of one message. */
const MAX_RECIPIENTS = 50;

/*
 * The script of the type email. curl speaks SMTP, and reads addresses and credentials from its stdin, so they
 * are in no argument list. Headers encode text outside ASCII, and never contain the line breaks of a value.
 */
export const emailScript = builtInScript(`
fail() { printf 'email: %s\\n' "$1" >&2; exit 1; }
case \${param_host-} in
  '' | *[!A-Za-z0-9.-]* | -*) fail 'the parameter host is not the name of a host' ;;
esac
for value in "\${param_username-}" "\${param_password-}" "\${param_from-}" "\${param_to-}" "\${notify_to-}"; do
  case $value in *[[:cntrl:]]*) fail 'a parameter has control characters' ;; esac
done
case \${param_tls:-starttls} in
  starttls) scheme=smtp port=587 ;;
  tls) scheme=smtps port=465 ;;
  none)
    scheme=smtp port=25
    [ -z "\${param_username-}\${param_password-}" ] || fail 'a password needs tls = "starttls" or "tls"'
    ;;
  *) fail 'the parameter tls is none of starttls, tls and none' ;;
esac
port=\${param_port:-$port}
case $port in *[!0-9]*) fail 'the parameter port is not a number' ;; esac
case \${param_username-} in *:*) fail 'the parameter username has a colon' ;; esac

# address TEXT: prints the address in "address" or "Name <address>"
address() {
  printf '%s' "$1" | jq -Rrs '
    (capture("^[^<>]*<(?<address>[^<>]+)>\\\\s*$").address // .) | gsub("^\\\\s+|\\\\s+$"; "")
    | if test("^[A-Za-z0-9.!#$%&*+/=?^_{|}~-]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$") then . else error("none") end
  ' 2>/dev/null || fail "'$1' is not an address"
}
# words TEXT: prints the text encoded for a header, in lines of at most 76 characters
words() {
  printf '%s' "$1" | jq -Rrs '
    gsub("\\\\s+"; " ") | .[0:200]
    | [range(0; length; 10) as $at | "=?UTF-8?B?" + (.[$at:$at + 10] | @base64) + "?="] | join("\\r\\n ")'
}
# subject TEXT: prints the text for the header Subject, encoded if necessary
subject() {
  case $1 in
    *[!A-Za-z0-9\\ .,:/#_-]*) words "$1" ;;
    *) if [ "\${#1}" -gt 60 ]; then words "$1"; else printf '%s' "$1"; fi ;;
  esac
}
from=$(address "\${param_from-}")
name=$(printf '%s' "$param_from" | sed -n 's/^ *"\\{0,1\\}\\([^<>"]*[^<>" ]\\)"\\{0,1\\} *<.*/\\1/p')
: >"$private/recipients"
printf '%s' "\${notify_to:-\${param_to-}}" | tr ',' '\\n' >"$private/to"
echo >>"$private/to"
while IFS= read -r recipient; do
  recipient=$(printf '%s' "$recipient" | sed 's/^ *//; s/ *$//')
  if [ -n "$recipient" ]; then address "$recipient" >>"$private/recipients"; fi
done <"$private/to"
count=$(wc -l <"$private/recipients")
[ "$count" -gt 0 ] || fail 'the parameter to is empty'
[ "$count" -le ${MAX_RECIPIENTS} ] || fail 'there are more than ${MAX_RECIPIENTS} recipients'

${defaultMessage}
message=\${NOTIFY_MESSAGE-}
if [ -z "$message" ]; then
  message=$(default_message)
  if [ -n "$link" ]; then message=$(printf '%s\\n\\n%s' "$message" "$link"); fi
fi
{
  if [ -n "$name" ]; then printf 'From: %s <%s>\\r\\n' "$(words "$name")" "$from"
  else printf 'From: %s\\r\\n' "$from"; fi
  printf 'To: %s\\r\\n' "$(jq -Rrs 'split("\\n") | map(select(. != "")) | join(",\\r\\n ")' "$private/recipients")"
  printf 'Subject: %s\\r\\n' "$(subject "\${notify_subject:-$(default_message)}")"
  printf 'Date: %s\\r\\n' "$(LC_ALL=C date -R)"
  printf 'Message-ID: <%s@%s>\\r\\n' "$(cat /proc/sys/kernel/random/uuid)" "\${from#*@}"
  printf 'Auto-Submitted: auto-generated\\r\\nMIME-Version: 1.0\\r\\n'
  printf 'Content-Type: text/plain; charset=utf-8\\r\\nContent-Transfer-Encoding: base64\\r\\n\\r\\n'
  printf '%s\\n' "$message" | head -c 100000 | sed 's/\\r*$/\\r/' | base64 -w 76 | sed 's/$/\\r/'
} >"$private/message"

if [ -n "\${param_ca-}" ]; then printf '%s\\n' "$param_ca" >"$private/ca.pem"; fi
quoted() { printf '%s' "$1" | sed 's/[\\\\"]/\\\\&/g'; }
request() {
  printf 'url = "%s://%s:%s"\\n' "$scheme" "$param_host" "$port"
  printf 'mail-from = "%s"\\n' "$(quoted "$from")"
  while IFS= read -r recipient; do printf 'mail-rcpt = "%s"\\n' "$(quoted "$recipient")"; done <"$private/recipients"
  if [ "\${param_tls:-starttls}" != none ]; then printf 'ssl-reqd\\n'; fi
  if [ -n "\${param_username-}" ]; then
    printf 'user = "%s:%s"\\n' "$(quoted "$param_username")" "$(quoted "\${param_password-}")"
  fi
  if [ -n "\${param_ca-}" ]; then printf 'cacert = "%s/ca.pem"\\n' "$private"; fi
}
for try in 1 2 3; do
  end=0
  request | curl -q --config - --silent --show-error --max-time 30 --connect-timeout 10 --proto '=smtp,smtps' \\
    --upload-file "$private/message" --write-out '%{response_code}' >"$private/code" || end=$?
  if [ "$end" = 0 ]; then break; fi
  code=$(cat "$private/code")
  case $end:$code in
    7:* | 28:* | *:4??) if [ "$try" != 3 ]; then sleep "$try"; fi ;;
    *) break ;;
  esac
done
[ "$end" = 0 ] || fail "$param_host did not take the message (SMTP answer $code)"
printf 'email: sent to %s recipients\\n' "$count" >&2
`);

export const email = `
notification_type "email" {
  params = ["host", "port", "username", "password", "from", "to", "tls", "ca", "base_url"]
  notify "shell" {
    cmd = ${builtInCommand(emailScript)}
  }
}
`;
