import type { CompletionPlace, OptionWord } from './command-tree.ts';

/** The completion script for fish. Where it has no words after a command, fish completes file names. */
export function fishScript(places: readonly CompletionPlace[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const lines = places.flatMap((place) => [
    ...place.words.map(
      ({ name, about }) =>
        `${completeAt(place.path)} --no-files --arguments ${quoted(name)}${description(about)}`,
    ),
    ...place.options.map((option) => optionLine(place.path, option)),
  ]);
  return `# Completion of millrace for fish.
function __millrace_place
    set --local place ''
    for word in (commandline --tokenize --cut-at-cursor --current-process)[2..]
        set --local next (string trim "$place $word")
        switch "$next"
            case ${paths.join(' ')}
                set place "$next"
        end
    end
    test "$place" = "$argv[1]"
end
${lines.join('\n')}
`;
}

const completeAt = (path: string): string =>
  `complete --command millrace --condition ${quoted(`__millrace_place ${quoted(path)}`)}`;

function optionLine(path: string, { flags, about, value, choices }: OptionWord): string {
  const names = flags.map((flag) =>
    flag.startsWith('--') ? ` --long-option ${flag.slice(2)}` : ` --short-option ${flag.slice(1)}`,
  );
  const values = value === 'choice' ? ` --exclusive --arguments ${quoted(choices.join(' '))}` : '';
  const parameter = value === 'any' ? ' --require-parameter' : '';
  return `${completeAt(path)}${names.join('')}${values}${parameter}${description(about)}`;
}

const description = (about: string): string => ` --description ${quoted(about)}`;

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
