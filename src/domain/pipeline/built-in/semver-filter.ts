/**
 * A jq program that reads tags, one per line (`jq -nrR`), and prints those that a check reads, the lowest
 * version first. Arguments: `$constraint`, `$prereleases` (`true` or not), `$last` (the tag of the last known
 * version, or empty).
 *
 * A version is [major, minor, patch, rank]. jq compares arrays element by element, numbers before texts, so
 * ranks sort as Semantic Versioning requires: [0] is below all prereleases, [0, …] is a prerelease, and [1]
 * is the release.
 */
export const semverFilter = (maxVersions: number): string => `
def rank: if . == null then [1]
  else [0] + (split(".") | map(if test("^[0-9]{1,15}$") then tonumber else . end)) end;
def version:
  capture("^v?(?<a>[0-9]{1,9})[.](?<b>[0-9]{1,9})[.](?<c>[0-9]{1,9})(-(?<pre>[0-9A-Za-z.-]+))?$")
  | [(.a, .b, .c | tonumber), (.pre | rank)];
# The lowest bound after all versions with the same numbers up to $index: it is below all prereleases.
def next($index): (.[:$index] + [.[$index] + 1, 0, 0])[:3] + [[0]];
def limits:
  (capture("^(?<op>[<>]=?|[=^~])?v?(?<a>[0-9]{1,9}|[xX*])([.](?<b>[0-9]{1,9}|[xX*]))?"
    + "([.](?<c>[0-9]{1,9}|[xX*]))?(-(?<pre>[0-9A-Za-z.-]+))?$") // error("constraint"))
  | ([.a, .b, .c] | map(. // "x")) as $texts
  | ($texts | map(test("[0-9]")) | index(false) // 3) as $count
  | ($texts[:$count] | map(tonumber)) as $numbers
  | (($numbers + [0, 0, 0])[:3] + [.pre | rank]) as $version
  | (.op // "=") as $op
  | if $count == 0 then []
    elif $op == ">=" then [["min", $version]]
    elif $op == ">" then
      if $count == 3 then [["above", $version]] else [["min", ($numbers | next($count - 1))[:3] + [[1]]]] end
    elif $op == "<" then [["below", if $count == 3 then $version else $version[:3] + [[0]] end]]
    elif $op == "<=" then
      if $count == 3 then [["max", $version]] else [["below", ($numbers | next($count - 1))]] end
    elif $op == "=" and $count == 3 then [["min", $version], ["max", $version]]
    else
      (if $op == "^" then ($numbers | map(. > 0) | index(true)) // ($count - 1)
        elif $op == "~" then [$count - 1, 1] | min
        else $count - 1 end) as $index
      | [["min", $version], ["below", ($numbers | next($index))]] end;
def holds($limit):
  if $limit[0] == "min" then . >= $limit[1] elif $limit[0] == "max" then . <= $limit[1]
  elif $limit[0] == "above" then . > $limit[1] else . < $limit[1] end;
[$constraint | split("||")[] | gsub("(?<op>[<>=^~])\\\\s+"; .op)
  | [splits("[\\\\s,]+") | select(. != "") | limits[]]] as $alternatives
| ([$last | version] | first) as $known
| [inputs | {tag: ., version: version}
    | select($prereleases == "true" or .version[3] == [1])
    | .version as $version
    | select(any($alternatives[]; all(.[]; . as $limit | $version | holds($limit))))]
| sort_by(.version, .tag)
| if $known then map(select(.version > $known or .tag == $last)) else .[-1:] end
| unique_by(.version)[-${maxVersions}:][].tag
`;
