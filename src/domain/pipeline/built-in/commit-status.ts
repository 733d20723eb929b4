import { builtInCommand, builtInScript } from './built-in-script.ts';
import { forgeApi } from './git-forge-api.ts';
import { reportedCommit } from './reported-commit.ts';

/*
 * The script of the type commit-status, which sets the status of a commit on GitHub, GitLab, Gitea or Forgejo. A
 * repeated call changes nothing. The token is in no argument list: curl reads the header from its stdin.
 */
export const commitStatusScript = builtInScript(`
fail() { printf 'commit-status: %s\\n' "$1" >&2; exit 1; }
answer=$private/answer
url=\${param_url-}
if [ -z "$url" ]; then
  case \${param_provider-} in
    forge_a | github) url=https://github.com/\${param_repository-} ;;
    forge_b | gitlab) url=https://gitlab.com/\${param_repository-} ;;
    *) fail 'the parameter url is empty' ;;
  esac
fi
case $url in https://* | http://*) ;; *) fail 'the parameter url is no https:// or http:// URL' ;; esac
[ -n "\${param_token-}" ] || fail 'the parameter token is empty'
case "$url$param_token" in *[[:cntrl:]]*) fail 'the parameters have control characters' ;; esac
${forgeApi}
case /$path/ in
  *//* | */./* | */../* | *[!A-Za-z0-9._/-]*) fail 'the url does not end with <owner>/<repository>' ;;
  /*/*/) ;;
  *) fail 'the url does not end with <owner>/<repository>' ;;
esac
forge=$(forge_of)
[ "$forge" != unknown ] || fail 'set the parameter provider: the url does not say what forge it is'
set_forge "$forge"

${reportedCommit}
case $sha in
  '') fail 'there is no commit to report on: set head_sha, or get one repository before' ;;
  *[!0-9a-f]*) fail "'$sha' is not a commit" ;;
esac
[ "\${#sha}" -ge 40 ] || fail "'$sha' is not a whole commit id"

said="Build #\${BUILD_NUMBER-}"
state=\${notify_state-}
case $state:\${notify_build_status-} in
  ?*:*) said="$said: $state" ;;
  :succeeded) state=success said="$said succeeded" ;;
  :failed) state=failure said="$said failed" ;;
  :cancelled) state=cancelled said="$said was cancelled" ;;
  :waiting) state=pending said="$said waits for approval" ;;
  *) state=pending said="$said: pending" ;;
esac
if [ -z "\${BUILD_NUMBER-}" ]; then said='Waiting for a build'; fi
case \${BUILD_REASON-} in
  '' | AllStepsSucceeded | StepFailed | Cancelled) ;;
  *) said="$said ($BUILD_REASON)" ;;
esac
case $state in
  pending | queued) a=pending b=pending c=pending ;;
  running | in_progress) a=pending b=running c=pending ;;
  success | succeeded) a=success b=success c=success ;;
  failure | failed) a=failure b=failed c=failure ;;
  error) a=error b=failed c=error ;;
  cancelled | canceled) a=error b=canceled c=error ;;
  *) fail "the state '$state' is none of pending, running, success, failure, error and cancelled" ;;
esac
job="teams/\${BUILD_TEAM_NAME-}/pipelines/\${BUILD_PIPELINE_NAME-}/jobs/\${BUILD_JOB_NAME-}"
link=\${notify_target_url:-\${BUILD_URL-}}
if [ -z "$link" ] && [ -n "\${param_base_url-}" ]; then link=\${param_base_url%/}/$job; fi
name=\${notify_context:-\${param_context:-\${BUILD_PIPELINE_NAME-}/\${BUILD_JOB_NAME-}}}
said=\${notify_description:-\${NOTIFY_MESSAGE:-$said}}

set --
longest=255 field=context accept=application/json theirs=$c
case $forge in
  a)
    theirs=$a longest=140 accept=application/vnd.github+json
    set -- --header 'X-GitHub-Api-Version: 2022-11-28'
    ;;
  b) theirs=$b field=name ;;
esac
jq -n --arg state "$theirs" --arg field "$field" --arg name "$name" --arg link "$link" --arg said "$said" \\
  --argjson longest "$longest" '
  def cut($most): gsub("\\\\s+"; " ") | if length > $most then .[0:$most - 1] + "…" else . end;
  {state: $state, description: ($said | cut($longest)), ($field): ($name | cut(255))}
  | if $link == "" then . else . + {target_url: $link} end' >"$private/body"
printf '%s\\n' "$header" |
  curl -q --silent --show-error --max-time 30 --retry 3 --retry-connrefused --retry-max-time 60 --max-redirs 0 \\
    --proto '=https,http' --header @- "$@" --header "Accept: $accept" \\
    --header 'Content-Type: application/json' --data-binary "@$private/body" --output "$answer" --write-out '%{http_code}' \\
    -- "$api$repository/statuses/$sha" >"$answer.code" || fail "the forge at $authority cannot be reached"
code=$(cat "$answer.code")
case $forge:$theirs:$code in
  *:20[01]) ;;
  b:pending:400 | b:running:400)
    # GitLab refuses the state that a commit has already.
    grep -q 'Cannot transition status' "$answer" || fail "the forge answered with status 400: $(head -c 500 "$answer")"
    ;;
  *) fail "the forge answered with status $code: $(if [ -e "$answer" ]; then head -c 500 "$answer"; fi)" ;;
esac
printf 'commit-status: %s is %s for %s\\n' "$name" "$theirs" "$sha" >&2
`);

export const commitStatus = `
notification_type "commit-status" {
  params = ["url", "repository", "provider", "token", "base_url", "context"]
  notify "shell" {
    cmd = ${builtInCommand(commitStatusScript)}
  }
}
`;
