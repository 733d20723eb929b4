import { heredoc } from './heredoc.ts';

/*
 * Steps with the same image share a container: a step with secrets sees what earlier steps left in its home
 * directory, in /tmp and in the working directory. So every script of a built-in resource or notification
 * type starts with this prelude:
 *
 * - It creates the directory `$private`, whose name earlier steps cannot know. The directory is removed at
 *   the end, even if a signal other than SIGKILL ends the script. Its folder `home` is empty. The script runs
 *   in that folder, which is also its HOME.
 * - Git reads no configuration of the user or the system. Of the inherited GIT_ variables, only
 *   GIT_ALLOW_PROTOCOL and GIT_SSL_* stay set.
 * - PATH has no relative directories. Directories that the user of the step can write to come last.
 *
 * The prelude cannot keep curl from reading a configuration, so scripts always call it with -q.
 *
 * `$start` is the working directory of the step. `folder_git` runs git without secrets, for repositories that
 * steps could have changed.
 */
const PRELUDE = `
safe_path= writable_path= start=$PWD
IFS=:
for directory in $PATH; do
  case $directory in
    /*)
      if [ -w "$directory" ]; then writable_path=$writable_path:$directory
      else safe_path=$safe_path:$directory; fi
      ;;
  esac
done
unset IFS
PATH=$safe_path$writable_path
export PATH="\${PATH#:}"
for variable in $(env | sed -n 's/^\\(GIT_[A-Za-z0-9_]*\\)=.*/\\1/p'); do
  case $variable in
    GIT_ALLOW_PROTOCOL | GIT_SSL_*) ;;
    *) unset "$variable" ;;
  esac
done
unset LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT BASH_ENV ENV CURL_HOME SSLKEYLOGFILE NODE_OPTIONS NODE_PATH TAR_OPTIONS GZIP
# The shim removes the directory of its script, however the script ends: after SIGKILL no trap runs.
case $0 in
  /*/millrace-*/script) private=$(mktemp -d "\${0%/*}/private-XXXXXX") ;;
  *) private=$(mktemp -d) ;;
esac
trap 'rm -rf -- "$private"' EXIT
# Without these traps, some shells run no EXIT trap when a signal ends them.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -- "$private/home"
cd -- "$private/home"
export HOME="$private/home" XDG_CONFIG_HOME="$private/home" XDG_CACHE_HOME="$private/home"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_GLOBAL=/dev/null
export GIT_CEILING_DIRECTORIES="\${private%/*}"
folder_git() {
  env -i PATH="$PATH" HOME="$HOME" GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null \\
    GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none \\
    git -c safe.directory='*' -c core.hooksPath=/dev/null -c core.fsmonitor=false -C "$@"
}
`;

/** A script of a built-in resource or notification type, in POSIX sh for `sh -e`. */
export const builtInScript = (body: string): string => `${PRELUDE}${body}`;

/** The script as the value of `cmd`. Accepts only results of `builtInScript`. */
export function builtInCommand(script: string): string {
  if (!script.startsWith(PRELUDE)) throw new Error('a script of a built-in type begins with the prelude');
  return heredoc(script);
}
