import type { CompletionPlace } from './command-tree.ts';

/**
 * The completion script for bash 4 or newer. Where it has no words after a command, bash completes file
 * names.
 */
export function bashScript(places: readonly CompletionPlace[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  const cases = places.map(({ path, words, options }) => {
    const names = words.map(({ name }) => name).join(' ');
    const flags = options.flatMap((option) => option.flags).join(' ');
    return `    '${path}') words='${names}' flags='${flags}' ;;`;
  });
  const valueCases = places.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value, choices }) => {
      if (value === 'none') return [];
      const patterns = flags.map((flag) => `'${path} ${flag}'`).join('|');
      return [`    ${patterns}) words='${choices.join(' ')}' flags='' ;;`];
    }),
  );
  return `# Completion of millrace for bash 4 or newer.
_millrace() {
  local word="\${COMP_WORDS[COMP_CWORD]}" place='' next one words='' flags=''
  for one in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${place:+$place }$one"
    case "$next" in
    ${paths.join('|')}) place="$next" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  case "$place \${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases.join('\n')}
  esac
  [[ "$word" == -* ]] && words="$flags"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o bashdefault -o default -F _millrace millrace
`;
}
