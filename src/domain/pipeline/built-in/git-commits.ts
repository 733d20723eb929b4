/** Part of the check of the type git: which commits of a history are versions. */
export const gitCommits = `
# A commit is a version if it changes something in paths and its message does not ask to skip CI.
lines_of() { printf '%s\\n' "$1" | tr ',' '\\n' | sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d'; }
select_paths() {
  lines_of "\${param_paths-}" >"$private/paths"
  lines_of "\${param_ignore_paths-}" >"$private/ignored"
  if grep -q '^:' "$private/paths" "$private/ignored"; then
    fail 'a path in paths or ignore_paths begins with a colon'
  fi
  sed 's/^/:(exclude)/' "$private/ignored" >>"$private/paths"
  # Only commits are fetched, and trees if paths are given.
  filter=tree:0
  if [ -s "$private/paths" ]; then filter=blob:none; fi
}
# Creates the repository $history with the object format of $commit.
begin_history() {
  history=$private/history.git
  case $commit in ?????????????????????????????????????????*) format=sha256 ;; *) format=sha1 ;; esac
  git init --quiet --bare --template= --object-format=$format "$history"
  git -C "$history" config remote.origin.url "$url"
}
is_ancestor() { git -C "$history" merge-base --is-ancestor "$1" "$2" 2>/dev/null; }
# Prints at most $1 versions of $tip after $since, oldest first. A merge counts as one commit. The oldest commits of a
# shallow history are left out if paths are given, since what they changed is unknown.
matching_commits() {
  limit=$1
  shift
  if [ "\${param_skip_ci-}" != false ]; then
    set -- "$@" --fixed-strings --regexp-ignore-case --invert-grep
    set -- "$@" --grep='[skip ci]' --grep='[ci skip]' --grep='[no ci]'
  fi
  {
    printf '%s\\n' "$tip"
    if [ -n "$since" ]; then echo "^$since"; fi
    if [ -s "$private/paths" ] && [ -e "$history/shallow" ]; then sed 's/^/^/' "$history/shallow"; fi
    echo --
    cat "$private/paths"
  } | git -C "$history" rev-list --first-parent --max-count="$limit" --reverse "$@" --stdin
}
# Prints the commits after $known up to $commit, oldest first, if the answer of the forge's API has all of them.
# Follows the first parent of each commit, as git rev-list --first-parent does.
commits_of_answer() {
  if [ ! -s "$answer" ]; then return 1; fi
  jq -ce --arg known "$known" --arg newest "$commit" --arg skip "\${param_skip_ci-}" '
    INDEX(.sha? // .id) as $commits |
    def first_parent: (.parents[0]?.sha // .parent_ids[0]?);
    def asks_to_skip: (.commit.message? // .message? // "" | ascii_downcase) as $message |
      any("[skip ci]", "[ci skip]", "[no ci]"; . as $words | $message | contains($words));
    reduce range(0; length + 1) as $_ ({at: $newest, commits: [], found: false};
      if .found or .at == null then .
      elif .at == $known then .found = true
      else $commits[.at] as $commit | .commits += [$commit] | .at = ($commit | first_parent) end) |
    if .found then
      [.commits | reverse | .[] | select($skip == "false" or (asks_to_skip | not)) | {ref: (.sha? // .id)}]
    else empty end' "$answer" 2>/dev/null
}
# Prints the commits of the branch after $known, oldest first, at most the newest 100. Fetches 101 commits first, and
# 10001 if $known is not among them. If $known is not among those either, the history was rewritten, and only the
# newest commit is a version.
list_commits() {
  ref=HEAD
  if [ -n "$branch" ]; then ref=refs/heads/$branch; fi
  begin_history
  tip=refs/tip
  for depth in 101 10001; do
    if ! git -C "$history" fetch --quiet --depth=$depth --filter=$filter --no-tags --no-write-fetch-head \\
      origin "+$ref:$tip" 2>"$private/problem"; then
      cat "$private/problem" >&2
      if ! grep -q 'dumb http' "$private/problem"; then fail 'the commits since the last check could not be fetched'; fi
      echo 'git: this server lists no history, so only the newest commit is a version' >&2
      printf '[{"ref":"%s"}]\\n' "$commit"
      return 0
    fi
    since=
    if [ -n "$known" ] && is_ancestor "$known" $tip; then
      since=$known
      matching_commits 100 >"$private/found"
      print_commits
      return 0
    fi
    matching_commits 1 >"$private/found"
    if [ ! -e "$history/shallow" ]; then break; fi
    if [ -z "$known" ] && [ -s "$private/found" ]; then break; fi
  done
  if [ ! -s "$private/found" ]; then echo 'git: no commit of this branch changes something in paths' >&2; fi
  print_commits
}
print_commits() { jq -cRn '[inputs | {ref: .}]' "$private/found"; }
`;
