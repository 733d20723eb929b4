import type { Command } from 'commander';
import { format } from 'prettier';
import { offlineCommands } from '#cli/commands.ts';

export const COMMANDS_PAGE = 'docs/reference/cli.md';

const INTRODUCTION = `# Command line

\`millrace\` works on files alone: it needs no cluster and no network. The same program is the image's (\`docker run --rm -v "$PWD:$PWD" -w "$PWD"
<image> validate pipeline.hcl\`); from a checkout, \`make dist\` builds it and \`node_modules/.bin/node dist/millrace.js\` starts it. How to use it in CI and
before a commit: [validate-offline.md](../how-to/validate-offline.md).

Errors are the operator's own, with the same codes ([errors.md](errors.md)); in a manifest lines and columns are the manifest's. Colours
appear on a screen; \`--color\` and the environment's \`FORCE_COLOR\` and \`NO_COLOR\` decide otherwise; \`FORCE_COLOR\` also colours a pipe, and wins over the other, of which Node.js then warns. \`millrace <command> --help\` shows what stands here.

This page is made from the program's own definitions by \`node config/docs/main.ts\`.
`;

/** The page of all verbs, as the program itself knows them. */
export function commandsPage(): Promise<string> {
  const sections = offlineCommands(async () => undefined).map(section);
  return format([INTRODUCTION, ...sections].join('\n'), {
    parser: 'markdown',
    singleQuote: true,
    printWidth: 110,
  });
}

function section(command: Command): string {
  const help = command.createHelp();
  const rows = [
    ...help.visibleArguments(command).map((argument) => [argument.name(), argument.description]),
    ...help.visibleOptions(command).map((option) => [option.flags, help.optionDescription(option)]),
  ].map(([name = '', about = '']) => `| \`${name}\` | ${cell(about)} |`);
  const text = ['| | |', '| --- | --- |', ...rows].join('\n');
  return `## millrace ${command.name()}

${sentence(command.description())}

\`\`\`text
${help.commandUsage(command)}
\`\`\`

${text}

${prose(epilogue(command))}
`;
}

/** What the help says after its tables. */
function epilogue(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => void (text += part) });
  command.outputHelp();
  const [, after = ''] = text.split(/^ {2}-h, --help.*\n/m);
  return after.trim();
}

/** Examples become a block, the rest stays text. */
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
