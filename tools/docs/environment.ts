import { ENVIRONMENT_TABLE, type CommandContext } from '#domain/pipeline/environment-table.ts';
import { formatText } from '#tools/format.ts';

export const ENVIRONMENT_PAGE = 'docs/reference/environment.md';

/**
 * `<!-- variables steps -->` … `<!-- end -->`: the part between is generated from the planner's own table.
 */
const PLACE = /<!-- variables (meanings|steps|after) -->((?:(?!<!--)[\s\S])*)<!-- end -->/g;

type Columns = readonly (readonly [CommandContext, string])[];

const STEPS: Columns = [
  ['check', 'check'],
  ['secretGet', '`get` of a secret type'],
  ['get', 'pull (get)'],
  ['put', 'push (put)'],
  ['task', 'task'],
  ['notify', '`notify`'],
  ['service', 'service'],
];

const AFTER: Columns = [
  ['stepHook', 'hook of a step'],
  ['jobHook', 'hook of the job'],
  ['notification', 'automatic notification'],
  ['notificationWithoutPod', 'notification without a Pod'],
  ['onTrigger', '`on_trigger`'],
];

/** The page with its tables generated. */
export function withVariables(page: string): Promise<string> {
  const filled = page.replaceAll(PLACE, (_place, part: string) => {
    return `<!-- variables ${part} -->\n\n${tableOf(part)}\n\n<!-- end -->`;
  });
  return formatText(ENVIRONMENT_PAGE, filled);
}

function tableOf(part: string): string {
  if (part === 'meanings') return meanings();
  return contexts(part === 'steps' ? STEPS : AFTER);
}

function meanings(): string {
  const rows = ENVIRONMENT_TABLE.map(({ name, value, example }) => [code(name), value, code(example)]);
  return markdown([['Variable', 'Value', 'Example'], ...rows]);
}

/** The variables by context, without variables that have no value in any of these columns. */
function contexts(columns: Columns): string {
  const rows = ENVIRONMENT_TABLE.filter(({ seenIn }) => columns.some(([context]) => context in seenIn)).map(
    ({ name, seenIn }) => [code(name), ...columns.map(([context]) => seenIn[context] ?? '')],
  );
  return markdown([['Variable', ...columns.map(([, title]) => title)], ...rows]);
}

const code = (text: string): string => `\`${text}\``;

function markdown([head = [], ...rows]: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
