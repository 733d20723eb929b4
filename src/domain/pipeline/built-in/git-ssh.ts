/** SSH host keys of well-known hosts. For any other host, set the parameter known_hosts. */
const KNOWN_HOST_KEYS = `
github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl
github.com ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg=
gitlab.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf
`.trim();

/** The hosts whose keys are in `KNOWN_HOST_KEYS`. */
export const hostsWithKeys: readonly string[] = ['github.com', 'gitlab.com'];

/**
 * Part of the start of every script of the type git: `use_ssh` prepares ssh for `$url`. The private key is in
 * a file that only the script's user can read, never in an argument. ssh reads only the configuration of this
 * script, never prompts, uses the private key only to log in to the host of `$url`, and requires a known host
 * key.
 */
export const gitSsh = `
use_ssh() {
  case $url in
    ssh://*)
      ssh_host=\${url#ssh://}
      ssh_host=\${ssh_host%%/*}
      ;;
    *) ssh_host=\${url%%:*} ;;
  esac
  case $ssh_host in
    -* | *@-* | '' | *@ | *[!A-Za-z0-9@._:[\\]~+-]*) fail "'$ssh_host' is not an SSH host: write host or user@host" ;;
  esac
  ssh_host=\${ssh_host##*@}
  case $ssh_host in
    '['*']'*)
      ssh_host=\${ssh_host#?}
      ssh_host=\${ssh_host%%]*}
      ;;
    *) ssh_host=\${ssh_host%%:*} ;;
  esac
  [ -n "\${param_private_key-}" ] || fail 'a url for SSH needs the parameter private_key'
  [ -z "\${param_token-}" ] || fail 'a url for SSH cannot be used with the parameter token: use private_key'
  command -v ssh-keygen >/dev/null || fail 'this image has no ssh: use one that has the package openssh-client'
  (
    umask 077
    printf '%s\\n' "$param_private_key" | tr -d '\\r' >"$private/key"
    printf '%s\\n' "\${param_known_hosts-}" | tr -d '\\r' >"$private/known_hosts"
  )
  if [ -z "\${param_known_hosts-}" ]; then
    case $ssh_host in
      ${hostsWithKeys.join(' | ')}) cat >"$private/known_hosts" <<'KEYS' ;;
${KNOWN_HOST_KEYS}
KEYS
      *) fail "set the parameter known_hosts: the host key of '$ssh_host' is not known. Compare what ssh-keyscan prints \\
with what the owner of the host publishes" ;;
    esac
  fi
  if ! ssh-keygen -y -P '' -f "$private/key" </dev/null >/dev/null 2>"$private/problem"; then
    case $(cat "$private/problem") in
      *passphrase*) fail 'private_key has a passphrase, which is not supported: use a key without one' ;;
      *) fail 'private_key is not a private key that ssh can read' ;;
    esac
  fi
  cat >"$private/ssh_config" <<CONFIG
Host $ssh_host $(printf '%s' "$ssh_host" | tr '[:upper:]' '[:lower:]')
  IdentityFile "$private/key"
Host *
  IdentityFile none
  IdentitiesOnly yes
  IdentityAgent none
  PreferredAuthentications publickey
  BatchMode yes
  StrictHostKeyChecking yes
  UserKnownHostsFile "$private/known_hosts"
  GlobalKnownHostsFile /dev/null
  UpdateHostKeys no
  ClearAllForwardings yes
  ForwardAgent no
  ControlPath none
  ConnectTimeout 30
  ServerAliveInterval 20
  LogLevel ERROR
CONFIG
  unset param_private_key param_known_hosts SSH_AUTH_SOCK SSH_ASKPASS SSH_ASKPASS_REQUIRE
  export ssh_config="$private/ssh_config"
  export GIT_SSH_COMMAND='ssh -F "$ssh_config"' GIT_SSH_VARIANT=ssh
}
`;
