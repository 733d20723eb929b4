import { builtInCommand, builtInScript } from './built-in-script.ts';

/*
 * The script of the type webhook, which posts an event of CloudEvents 1.0 (structured mode). The same build
 * and event have the same id, so receivers can ignore events that they already have. No program gets a secret
 * as an argument, which other processes could see: Node.js computes the signature, and curl reads URL and
 * headers from its stdin.
 */
export const webhookScript = builtInScript(`
fail() { printf 'webhook: %s\\n' "$1" >&2; exit 1; }
case \${param_url-} in
  https://* | http://*) ;;
  *) fail 'the parameter url is not an https:// or http:// URL' ;;
esac
case "$param_url\${param_token-}" in
  *[[:cntrl:]]*) fail 'the parameters url and token have control characters' ;;
esac
jq -n --arg time "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  def text($name): env[$name] // "" | if . == "" then null else . end;
  def prefixed($prefix): env | with_entries(select(.key | startswith($prefix)) | .key |= ltrimstr($prefix));
  (["teams", env.BUILD_TEAM_NAME // "", "pipelines", env.BUILD_PIPELINE_NAME // ""] | join("/")) as $pipeline
  | (prefixed("notify_") | del(.build_status, .event)) as $attributes
  | prefixed("version_") as $version
  | (env.BUILD_JOB_NAME // "") as $job
  | text("BUILD_NUMBER") as $number
  | (if $number then $job + "/" + $number else $job end) as $subject
  | (text("notify_event") // (if $number then "build." + (text("notify_build_status") // "notified") else "version.found" end))
    as $event
  | {
      specversion: "1.0",
      id: ([$pipeline, $subject, $event] | join("/")),
      source: (if text("param_base_url") then (env.param_base_url | rtrimstr("/")) + "/" else "/" end + $pipeline),
      type: ("dev.millrace." + $event),
      subject: $subject,
      time: $time,
      datacontenttype: "application/json",
      data: ({
        team: env.BUILD_TEAM_NAME, pipeline: env.BUILD_PIPELINE_NAME, job: $job, number: $number,
        status: text("notify_build_status"), reason: text("BUILD_REASON"), url: text("BUILD_URL"),
        message: text("NOTIFY_MESSAGE"),
        version: (if $version == {} then null else $version end),
        attributes: (if $attributes == {} then null else $attributes end)
      } | with_entries(select(.value != null)))
    }' >"$private/event"
if [ -z "\${notify_build_status-}" ]; then
  # Different steps of a build, or versions of a job, are different events.
  hash=$(jq -cS '.data' "$private/event" | sha256sum | cut -c 1-16)
  jq --arg hash "$hash" '.id += "/" + $hash' "$private/event" >"$private/named"
  mv -- "$private/named" "$private/event"
fi
quoted() { printf '%s' "$1" | sed 's/[\\\\"]/\\\\&/g'; }
signature=
if [ -n "\${param_secret-}" ]; then
  command -v node >/dev/null || fail 'a signature needs Node.js, which this image does not have'
  signature=$(
    node -e 'process.stdout.write(require("node:crypto").createHmac("sha256", process.env.param_secret)
      .update(require("node:fs").readFileSync(0)).digest("hex"))' <"$private/event"
  )
fi
code=$(
  {
    printf 'url = "%s"\\n' "$(quoted "$param_url")"
    if [ -n "\${param_token-}" ]; then
      printf 'header = "Authorization: Bearer %s"\\n' "$(quoted "$param_token")"
    fi
    if [ -n "$signature" ]; then printf 'header = "X-Millrace-Signature-256: sha256=%s"\\n' "$signature"; fi
  } | curl -q --config - --silent --show-error --globoff --max-time 20 --retry 4 --retry-connrefused \\
    --retry-max-time 80 --max-redirs 0 --proto '=https,http' --data-binary "@$private/event" \\
    --header 'Content-Type: application/cloudevents+json; charset=utf-8' --output "$private/answer" \\
    --write-out '%{http_code}'
) || fail 'the receiver cannot be reached'
case $code in
  2??) printf 'webhook: %s\\n' "$(jq -r .id "$private/event")" >&2 ;;
  *) fail "the receiver answered with status $code: $(if [ -e "$private/answer" ]; then head -c 500 "$private/answer"; fi)" ;;
esac
`);

export const webhook = `
notification_type "webhook" {
  params = ["url", "token", "secret", "base_url"]
  notify "shell" {
    cmd = ${builtInCommand(webhookScript)}
  }
}
`;
