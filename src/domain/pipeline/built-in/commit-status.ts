import { builtInCommand, builtInScript } from './built-in-script.ts';
import { forgeApi } from './git-forge-api.ts';
import { reportedCommit } from './reported-commit.ts';

/*
 * The script of the type commit-status, which sets the status of a commit on GitHub, GitLab, Gitea or
 * Forgejo. A repeated call changes nothing. The token is in no argument list: curl reads the header from its
 * stdin.
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
case $url in https://* | http://*) ;; *) fail 'the parameter url is not an https:// or http:// URL' ;; esac
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

description="Build #\${BUILD_NUMBER-}"
state=\${notify_state-}
case $state:\${notify_build_status-} in
  ?*:*) description="$description: $state" ;;
  :succeeded) state=success description="$description succeeded" ;;
  :failed) state=failure description="$description failed" ;;
  :cancelled) state=cancelled description="$description was cancelled" ;;
  :waiting) state=pending description="$description waits for approval" ;;
  *) state=pending description="$description: pending" ;;
esac
if [ -z "\${BUILD_NUMBER-}" ]; then description='Waiting for a build'; fi
case \${BUILD_REASON-} in
  '' | AllStepsSucceeded | StepFailed | Cancelled) ;;
  *) description="$description ($BUILD_REASON)" ;;
esac
case $state in
  pending | queued) on_github=pending on_gitlab=pending on_gitea=pending ;;
  running | in_progress) on_github=pending on_gitlab=running on_gitea=pending ;;
  success | succeeded) on_github=success on_gitlab=success on_gitea=success ;;
  failure | failed) on_github=failure on_gitlab=failed on_gitea=failure ;;
  error) on_github=error on_gitlab=failed on_gitea=error ;;
  cancelled | canceled) on_github=error on_gitlab=canceled on_gitea=error ;;
  *) fail "the state '$state' is none of pending, running, success, failure, error and cancelled" ;;
esac
job="teams/\${BUILD_TEAM_NAME-}/pipelines/\${BUILD_PIPELINE_NAME-}/jobs/\${BUILD_JOB_NAME-}"
link=\${notify_target_url:-\${BUILD_URL-}}
if [ -z "$link" ] && [ -n "\${param_base_url-}" ]; then link=\${param_base_url%/}/$job; fi
name=\${notify_context:-\${param_context:-\${BUILD_PIPELINE_NAME-}/\${BUILD_JOB_NAME-}}}
description=\${notify_description:-\${NOTIFY_MESSAGE:-$description}}

set --
longest=255 field=context accept=application/json forge_state=$on_gitea
case $forge in
  github)
    forge_state=$on_github longest=140 accept=application/vnd.github+json
    set -- --header 'X-GitHub-Api-Version: 2022-11-28'
    ;;
  gitlab) forge_state=$on_gitlab field=name ;;
esac
jq -n --arg state "$forge_state" --arg field "$field" --arg name "$name" --arg link "$link" --arg description "$description" \\
  --argjson longest "$longest" '
  def cut($most): gsub("\\\\s+"; " ") | if length > $most then .[0:$most - 1] + "…" else . end;
  {state: $state, description: ($description | cut($longest)), ($field): ($name | cut(255))}
  | if $link == "" then . else . + {target_url: $link} end' >"$private/body"
printf '%s\\n' "$header" |
  curl -q --silent --show-error --max-time 30 --retry 3 --retry-connrefused --retry-max-time 60 --max-redirs 0 \\
    --proto '=https,http' --header @- "$@" --header "Accept: $accept" \\
    --header 'Content-Type: application/json' --data-binary "@$private/body" --output "$answer" --write-out '%{http_code}' \\
    -- "$api$repository/statuses/$sha" >"$answer.code" || fail "the forge at $authority cannot be reached"
code=$(cat "$answer.code")
case $forge:$forge_state:$code in
  *:20[01]) ;;
  gitlab:pending:400 | gitlab:running:400)
    # GitLab refuses to set the state that a commit already has.
    grep -q 'Cannot transition status' "$answer" || fail "the forge answered with status 400: $(head -c 500 "$answer")"
    ;;
  *) fail "the forge answered with status $code: $(if [ -e "$answer" ]; then head -c 500 "$answer"; fi)" ;;
esac
printf 'commit-status: %s is %s for %s\\n' "$name" "$forge_state" "$sha" >&2
`);

export const commitStatus = `
notification_type "commit-status" {
  params = ["url", "repository", "provider", "token", "base_url", "context"]
  notify "shell" {
    cmd = ${builtInCommand(commitStatusScript)}
  }
}
`;
