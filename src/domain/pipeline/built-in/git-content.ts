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
# The author of a request from a fork decides what its commit names, in .gitmodules and .lfsconfig. So what is named
# there is fetched without the token and the key, unless fork_secrets is true.
is_distrusted() { [ "\${version_fork-}" = true ] && [ "\${param_fork_secrets-}" != true ]; }
drop_credentials() {
  unset param_token GIT_SSL_CERT GIT_SSL_KEY
  configure credential.helper ''
  rm -f -- "$private/key"
  # Relative addresses of submodules would get a password in the url.
  case $url in
    http://* | https://*)
      base=\${url#*://}
      host=\${base%%[/?#]*}
      git -C "$1" config remote.origin.url "\${url%%://*}://\${host##*@}\${base#"$host"}"
      ;;
  esac
}
why_refused() {
  if is_distrusted; then echo ': a request from a fork gets neither the token nor the key for them'; fi
}
# Checks out in the folder $1. Files of Git LFS come with it. Of a version that is not trusted, they come from the
# repository of the url, whatever .lfsconfig says; over SSH without the key.
check_out() {
  folder_of_clone=$1
  shift
  if ! is_distrusted; then
    git -C "$folder_of_clone" checkout --quiet "$@" -- >&2
    return
  fi
  if [ "$protocols" = ssh ]; then drop_credentials "$folder_of_clone"; fi
  lfs_url=\${url%"\${url##*[!/]}"}
  git -c "lfs.url=\${lfs_url%.git}.git/info/lfs" -C "$folder_of_clone" checkout --quiet "$@" -- >&2
  drop_credentials "$folder_of_clone"
}
# Fetches the submodules of the folder $1, and their submodules; $2 counts the levels of nesting. Git refuses names
# and addresses that would be options or lead out of the folder, and commands in .gitmodules.
update_submodules() {
  if [ ! -f "$1/.gitmodules" ]; then return 0; fi
  [ "$2" -le 10 ] || fail 'submodules are nested more than 10 deep'
  git -C "$1" submodule --quiet update --init \${depth:+--depth "$depth"} >&2 ||
    fail "the submodules could not be fetched$(why_refused)"
  git -C "$1" ls-files --stage -z | tr '\\n\\0' '?\\n' | sed -n 's/^160000 [^\\t]*\\t//p' >"$private/modules-$2"
  while IFS= read -r module; do
    if [ -e "$1/$module/.git" ]; then update_submodules "$1/$module" $(($2 + 1)); fi
  done <"$private/modules-$2"
}
`;
