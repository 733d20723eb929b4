/**
 * `default_message` prints the text of a notification without a message. `$link`: page of the build, if
 * known.
 */
export const defaultMessage = `
default_message() {
  place="[\${BUILD_PIPELINE_NAME-}/\${BUILD_JOB_NAME-}]"
  status=\${notify_build_status-}
  case $status in
    success | succeeded) text="✅ $place Build #\${BUILD_NUMBER-} - $status" ;;
    failure | failed) text="❌ $place Build #\${BUILD_NUMBER-} - $status" ;;
    cancel | cancelled) text="⚠️ $place Build #\${BUILD_NUMBER-} - $status" ;;
    waiting) text="⏳ $place Build #\${BUILD_NUMBER-} needs approval" ;;
    '')
      text="$place triggered"
      if [ -n "\${BUILD_NUMBER-}" ]; then text="$place Build #$BUILD_NUMBER"; fi
      ;;
    *) text="$place Build #\${BUILD_NUMBER-} - $status" ;;
  esac
  printf '%s' "$text"
}
link=\${BUILD_URL-}
if [ -z "$link" ] && [ -n "\${param_base_url-}" ] && [ -n "\${BUILD_NUMBER-}" ]; then
  job=teams/\${BUILD_TEAM_NAME-}/pipelines/\${BUILD_PIPELINE_NAME-}/jobs/\${BUILD_JOB_NAME-}
  link=\${param_base_url%/}/$job/builds/$BUILD_NUMBER
fi
`;
