/** Part of the pull of the type git, for the parameters depth, submodules and lfs. */
export const gitContent = `
check_content() {
  depth=\${param_depth-}
  case $depth in
    0* | *[!0-9]* | ???????*) fail "depth is '$depth', and must be a number from 1 to 999999" ;;
  esac
  if [ "\${param_submodules-}" = true ]; then allow_submodules; fi
  if [ "\${param_lfs-}" = true ]; then
    command -v git-lfs >/dev/null || fail 'lfs needs the program git-lfs, which this image does not have'
    configure filter.lfs.process 'git-lfs filter-process'
    configure filter.lfs.smudge 'git-lfs smudge -- %f'
    configure filter.lfs.clean 'git-lfs clean -- %f'
    configure filter.lfs.required true
  fi
}
# Configures git-lfs in the repository $1, so that later steps with git-lfs see its files as unchanged.
record_lfs() {
  if [ "\${param_lfs-}" != true ]; then return 0; fi
  git -C "$1" config filter.lfs.process 'git-lfs filter-process'
  git -C "$1" config filter.lfs.smudge 'git-lfs smudge -- %f'
  git -C "$1" config filter.lfs.clean 'git-lfs clean -- %f'
}
# Fetches only the last commits of the version. Returns 1 if the server allows no fetch of a commit by its id.
clone_shallow() {
  case $commit in ?????????????????????????????????????????*) format=sha256 ;; *) format=sha1 ;; esac
  git init --quiet --template= --object-format=$format -- "$target" || return 1
  git -C "$target" config remote.origin.url "$url"
  git -C "$target" config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'
  if git -C "$target" fetch --quiet --depth="$depth" --no-tags origin "$commit" 2>"$private/problem"; then return 0; fi
  sed -n '1,5p' "$private/problem" >&2
  echo 'git: the last commits alone could not be fetched; the clone gets the whole history' >&2
  rm -rf -- "$target"
  return 1
}
# The token and the key are for the host of the url only. For a url with https, submodules with addresses for SSH on
# that host are fetched over https too.
allow_submodules() {
  if [ "$protocols" = ssh ]; then
    GIT_ALLOW_PROTOCOL=$GIT_ALLOW_PROTOCOL:https
    return 0
  fi
  case $url in
    http://* | https://*)
      base=\${url#*://}
      base=\${base%%/*}
      host=\${base##*@}
      configure "url.\${url%%://*}://$host/.insteadOf" "git@\${host%%:*}:"
      configure "url.\${url%%://*}://$host/.insteadOf" "ssh://git@\${host%%:*}/"
      ;;
  esac
}
# Fetches the submodules of the folder $1, and their submodules; $2 counts the levels of nesting. Git refuses names
# and addresses that would be options or lead out of the folder, and commands in .gitmodules.
update_submodules() {
  if [ ! -f "$1/.gitmodules" ]; then return 0; fi
  [ "$2" -le 10 ] || fail 'submodules are nested more than 10 deep'
  git -C "$1" submodule --quiet update --init \${depth:+--depth "$depth"} >&2 ||
    fail 'the submodules could not be fetched'
  git -C "$1" ls-files --stage -z | tr '\\n\\0' '?\\n' | sed -n 's/^160000 [^\\t]*\\t//p' >"$private/modules-$2"
  while IFS= read -r module; do
    if [ -e "$1/$module/.git" ]; then update_submodules "$1/$module" $(($2 + 1)); fi
  done <"$private/modules-$2"
}
`;
