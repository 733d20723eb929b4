/** Part of the check of the type git: `list_requests`. */
export const gitRequests = `
# Prints the open pull or merge requests. The request that changed last is the last one.
#
# The author of a request from a fork decides what the build runs. So such requests are left out, unless the
# parameter forks is true: then the version has the field fork. A request counts as one from a fork unless the
# forge says that its branch is in the same repository. Gitea needs this rule: whoever may read a repository
# can push a request to refs/for/ without a branch.
#
# The filters are applied here. Forges that can filter apply them too, so that fewer pages are fetched.
list_requests() {
  [ -n "$with_api" ] || fail 'pr needs the parameter token, and a url that begins with https://'
  kind=$(forge_of)
  target=$(encode "$branch")
  labels=$(lines_of "\${param_labels-}")
  case $kind in
    unknown) fail "set the parameter provider: the forge on '$authority' is not known" ;;
    github)
      size=100
      query="/pulls?state=open&sort=updated&direction=desc&per_page=100\${target:+&base=$target}"
      ;;
    gitlab)
      size=100
      query="/merge_requests?state=opened&order_by=updated_at&sort=desc&per_page=100\${target:+&target_branch=$target}"
      if [ -n "$labels" ]; then query="$query&labels=$(encode "$(printf '%s' "$labels" | tr '\\n' ',')")"; fi
      ;;
    gitea)
      size=50
      query='/pulls?state=open&sort=recentupdate&limit=50'
      ;;
  esac
  set_forge "$kind"
  all_pages "$query" $size || fail "the forge does not answer with open requests ($(api_problem))"
  jq -sce --arg forks "\${param_forks-}" --arg branch "$branch" --arg labels "$labels" '
    def repositories: if has("source_project_id") then [.source_project_id, .target_project_id]
      else [.head.repo.full_name?, .base.repo.full_name?] end;
    def branch_names: if has("source_project_id") then [.source_branch] else [.head.label?, .head.ref?] end;
    def names_branch: branch_names |
      all(.[]; type == "string" and . != "") and (last | startswith("refs/") | not);
    def fork: (names_branch | not) or (repositories | any(.[]; . == null) or .[0] != .[1]);
    def labels: [.labels[]? | if type == "object" then .name else . end];
    def wanted: ($forks == "true" or (fork | not)) and
      ($branch == "" or (.target_branch? // .base.ref?) == $branch) and
      (($labels / "\\n" - [""]) - labels == []);
    # A request that changes meanwhile can be on two pages.
    reduce (.[] | select(wanted) |
      {ref: (.head.sha? // .sha), pr: ((.number // .iid) | tostring)} + if fork then {fork: "true"} else {} end
    ) as $request ([]; if any(.[]; .pr == $request.pr) then . else . + [$request] end) | reverse |
    if all(.[]; .ref | type == "string" and test("^[0-9a-f]{7,64}$")) then .
    else error("a request without a commit") end' "$entries"
}
`;
