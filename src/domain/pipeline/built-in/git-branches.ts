/**
 * Part of the check of the type git: `list_branches`, for the parameter branches. A check stores nothing
 * between runs. Millrace passes it `$KNOWN_BRANCHES`, a JSON object with the newest known commit of each
 * branch.
 */
export const gitBranches = `
# Globs become regular expressions for grep: * is anything but a slash, ** anything, and ? one character.
branch_patterns() {
  sed 's/[].[\\\\|$(){}?+*^]/\\\\&/g; s/\\\\\\*\\\\\\*/.*/g; s/\\\\\\*/[^\\/]*/g; s/\\\\?/[^\\/]/g; s,.*,\\trefs/heads/&$,'
}
# Prints the branches that changed, one per line: the commit, the known commit or a dash, the name.
changed_branches() {
  lines_of "$param_branches" | sed -n '/^!/!p' | branch_patterns >"$private/wanted"
  lines_of "$param_branches" | sed -n 's/^!//p' | branch_patterns >"$private/unwanted"
  [ -s "$private/wanted" ] || fail 'branches has no pattern that includes a branch'
  git ls-remote --heads -- "$url" >"$answer"
  { LC_ALL=C grep -Ef "$private/wanted" "$answer" || true; } |
    { LC_ALL=C grep -vEf "$private/unwanted" || true; } >"$private/matching"
  # Versions are JSON, which has only UTF-8: jq replaces other bytes by U+FFFD.
  jq -Rr 'select(contains("\\ufffd") | not)' "$private/matching" >"$private/utf8"
  left_out=$(($(wc -l <"$private/matching") - $(wc -l <"$private/utf8")))
  if [ $left_out -gt 0 ]; then echo "git: branches whose names are not UTF-8 are left out ($left_out)" >&2; fi
  mv -- "$private/utf8" "$private/matching"
  if [ ! -s "$private/matching" ]; then echo "git: there is no branch that matches '$param_branches'" >&2; fi
  count=$(wc -l <"$private/matching")
  [ "$count" -le 1000 ] || fail "$count branches match '$param_branches': at most 1000 are allowed"
  known=\${KNOWN_BRANCHES-}
  jq -Rnr --argjson known "\${known:-null}" --arg branch "\${version_branch-}" --arg ref "\${version_ref-}" '
    ($known // {} | if $branch != "" and (has($branch) | not) then .[$branch] = $ref else . end) as $known |
    inputs | split("\\t") | {ref: .[0], branch: .[1][11:]} | $known[.branch] as $last |
    select(.ref != $last) |
    "\\(.ref) \\(if $last // "" | test("^[0-9a-f]{40,64}$") then $last else "-" end) \\(.branch)"
  ' "$private/matching"
}
# Prints the new commits of all branches that match, ordered by their time, at most the newest 100. If a branch is not
# known, or its history was rewritten, only its newest commit is a version. If more than 100 branches changed, only
# the 100 with the newest commits are read.
list_branches() {
  changed_branches >"$private/changed"
  if [ ! -s "$private/changed" ]; then echo '[]'; return 0; fi
  read -r commit known branch <"$private/changed"
  begin_history
  if [ "$(wc -l <"$private/changed")" -gt 100 ]; then
    fetch_branches 1 tree:0
    git -C "$history" for-each-ref --sort=-committerdate --count=100 --format='%(refname:strip=2)' refs/branches |
      awk 'NR == FNR { newest[$1] = 1; next } $3 in newest' - "$private/changed" >"$private/newest"
    mv -- "$private/newest" "$private/changed"
    rm -rf -- "$history"
    begin_history
  fi
  : >"$private/found"
  for depth in 101 10001; do
    fetch_branches $depth "$filter"
    : >"$private/later"
    while read -r commit known branch; do
      tip=refs/branches/$branch
      since=
      if [ "$known" != - ] && is_ancestor "$known" "$tip"; then
        since=$known
        matching_commits 100 --timestamp >"$private/versions"
      else
        matching_commits 1 --timestamp >"$private/versions"
        if [ $depth = 101 ] && [ -e "$history/shallow" ] && { [ "$known" != - ] || [ ! -s "$private/versions" ]; }; then
          printf '%s %s %s\\n' "$commit" "$known" "$branch" >>"$private/later"
          continue
        fi
      fi
      sed "s,\\$, $(printf '%s' "$branch" | sed 's/[&,\\\\]/\\\\&/g')," "$private/versions" >>"$private/found"
    done <"$private/changed"
    mv -- "$private/later" "$private/changed"
    if [ ! -s "$private/changed" ]; then break; fi
  done
  # The clocks of authors differ: a commit is never older than the one before it on its branch.
  jq -cRn '
    reduce (inputs | split(" ") | {at: .[0] | tonumber, ref: .[1], branch: .[2]}) as $commit ({last: {}, all: []};
      ([$commit.at, .last[$commit.branch] // 0] | max) as $at |
      .last[$commit.branch] = $at | .all += [$commit | .at = $at]) |
    .all | sort_by(.at) | map({ref, branch}) | .[-100:]' "$private/found"
}
fetch_branches() {
  sed 's,^[^ ]* [^ ]* \\(.*\\)$,+refs/heads/\\1:refs/branches/\\1,' "$private/changed" |
    git -C "$history" fetch --quiet --depth=$1 --filter=$2 --no-tags --no-write-fetch-head --stdin origin \\
      2>"$private/problem" || {
    cat "$private/problem" >&2
    fail 'the commits since the last check could not be fetched'
  }
}
`;
