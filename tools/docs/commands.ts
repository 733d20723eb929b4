import type { Command } from 'commander';
import { format } from 'prettier';
import { clientCommands } from '#cli/client/commands.ts';
import { offlineCommands } from '#cli/commands.ts';

export const COMMANDS_PAGE = 'docs/reference/cli.md';

const INTRODUCTION = `# Command line

To get the command, run \`make install\` in a checkout, or use the image of the chart:
[both ways](../how-to/command-line.md#get-the-program).

\`validate\`, \`fmt\`, \`graph\` and \`plan\` work on files alone: they need no cluster and no network.
[validate-offline.md](../how-to/validate-offline.md) shows how to use them in CI and before a
commit.
The [other commands](#with-a-server) call a server.

The commands report the same errors as the operator, with the same codes ([errors.md](errors.md)).
In a manifest, lines and columns count from the start of the manifest.

Output has colours on a terminal.
To change that, use \`--color\`, \`NO_COLOR\` or \`FORCE_COLOR\`.
\`FORCE_COLOR\` also colours output into a pipe, and wins over \`NO_COLOR\`.

\`millrace <command> --help\` prints what is on this page.
\`node tools/docs/main.ts\` generates this page from the program.
`;

const CLIENT = `## With a server

These commands call the public gateway of an installation: see [how to
begin](../how-to/command-line.md) and
[which token you need](../how-to/tokens.md).

- The address must be https, or a loopback address of this machine.
- A token goes only to its own server. No argument holds one, and the commands follow no redirect.
- The commands trust the certificates of the machine, of Node.js, and of \`--ca-file\`.
- \`HTTPS_PROXY\` and \`NO_PROXY\` apply.

| Variable | Meaning |
| --- | --- |
| \`MILLRACE_URL\` | the server, unless \`--url\` names another |
| \`MILLRACE_TOKEN\`, \`MILLRACE_TOKEN_FILE\` | an API token for that server, or a file that contains it; wins over a login |
| \`MILLRACE_CA_FILE\` | the same as \`--ca-file\` |
| \`XDG_CONFIG_HOME\` | \`millrace login\` stores credentials in \`millrace/credentials.json\` below it (by default \`~/.config\`); only you can read the file |

The command line cannot pause or unpause: use the console or the [API](api.md).
`;

const nothing = async (): Promise<void> => undefined;

/** The reference of all commands, from the program's own help. */
export function commandsPage(): Promise<string> {
  const sections = [
    ...offlineCommands(nothing).flatMap((command) => sectionsOf(command)),
    CLIENT,
    ...clientCommands(nothing).flatMap((command) => sectionsOf(command)),
  ];
  return format([INTRODUCTION, ...sections].join('\n'), {
    parser: 'markdown',
    singleQuote: true,
    printWidth: 110,
  });
}

/** For a group: the sections of its commands. */
function sectionsOf(command: Command, words = 'millrace'): string[] {
  const path = `${words} ${command.name()}`;
  if (command.commands.length === 0) return [section(command, path)];
  return command.commands.flatMap((verb) => sectionsOf(verb, path));
}

function section(command: Command, path: string): string {
  const help = command.createHelp();
  const rows = [
    ...help.visibleArguments(command).map((argument) => [argument.name(), argument.description]),
    ...help.visibleOptions(command).map((option) => [option.flags, help.optionDescription(option)]),
  ].map(([name = '', about = '']) => `| \`${name}\` | ${cell(about)} |`);
  const text = ['| | |', '| --- | --- |', ...rows].join('\n');
  return `## ${path}

${sentence(command.description())}

\`\`\`text
${path} ${command.usage()}
\`\`\`

${text}

${prose(epilogue(command))}
`;
}

/** The help's text after its tables. */
function epilogue(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => void (text += part) });
  command.outputHelp();
  const [, after = ''] = text.split(/^ {2}-h, --help.*\n/m);
  return after.trim();
}

/** Examples become a code block. */
function prose(text: string): string {
  return text.replace(/Examples:\n((?: {2}.*\n?)+)/, (_, examples: string) => {
    const lines = examples
      .trimEnd()
      .split('\n')
      .map((line) => line.trim());
    return ['```sh', ...lines, '```', ''].join('\n');
  });
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
