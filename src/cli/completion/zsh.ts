import type { CompletionPlace } from './command-tree.ts';

/** The completion script for zsh. Where it has no words after a command, zsh completes file names. */
export function zshScript(places: readonly CompletionPlace[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  const cases = places.map(({ path, words, options }) => {
    const names = words.map(({ name, about }) => described(name, about));
    const flags = options.flatMap((option) => option.flags.map((flag) => described(flag, option.about)));
    return `    '${path}') names=(${names.join(' ')}) flags=(${flags.join(' ')}) ;;`;
  });
  const valueCases = places.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value, choices }) => {
      if (value === 'none') return [];
      const patterns = flags.map((flag) => `'${path} ${flag}'`).join('|');
      return [`    ${patterns}) names=(${choices.map(quoted).join(' ')}) flags=() ;;`];
    }),
  );
  return `#compdef millrace
# Completion of millrace for zsh.
_millrace() {
  local place='' next one
  local -a names flags
  for one in "\${(@)words[2,CURRENT-1]}"; do
    next="\${place:+$place }$one"
    case "$next" in
    ${paths.join('|')}) place="$next" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  case "$place \${words[CURRENT-1]}" in
${valueCases.join('\n')}
  esac
  local result=1
  if (( \${#names} )); then _describe 'command' names && result=0; fi
  if [[ "\${words[CURRENT]}" == -* ]] && (( \${#flags} )); then _describe -o 'option' flags && result=0; fi
  if (( ! \${#names} )); then _files && result=0; fi
  return result
}
compdef _millrace millrace
`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** `_describe` separates the word from its description by a colon. */
const described = (word: string, about: string): string => quoted(`${word.replaceAll(':', '\\:')}:${about}`);
