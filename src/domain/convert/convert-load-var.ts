import type { ConvertedPlace, JobScope } from './step-scope.ts';
import { environmentAttribute, quoteParts, type TaskEnvironment } from './write-command.ts';
import {
  hclAttribute,
  hclBlock,
  visibleText,
  writeScript,
  type HclBlock,
  type HclNode,
  type TemplatePart,
} from './write-hcl.ts';
import { joinParts, templateParts, wordOf } from './write-value.ts';
import type { YamlFields } from './yaml-fields.ts';

/**
 * Converts a `load_var` to a task that writes the content of the file to `$SVC_OUTPUT`. Later steps read it
 * from `$TASK_<NAME>_VALUE`, or `$TASK_<NAME>_<FIELD>` for a field of it.
 */
export function convertLoadVar(
  fields: YamlFields,
  place: ConvertedPlace,
  { conversion }: JobScope,
): HclBlock {
  const name = fields.needed('load_var') ?? 'unnamed';
  const file = fields.needed('file') ?? '';
  const format = fields.text('format') ?? formatOf(file);
  const body: HclNode[] = [];
  reportDifferences({ name, format, isRevealed: fields.flag('reveal') === true }, (text) =>
    conversion.leaveOut(body, fields.span, text),
  );
  if (place === 'sequence')
    conversion.leaveOut(
      body,
      fields.span,
      `load_var ${name} has no counterpart in a group: only steps after the group see the value`,
    );
  if (!['raw', 'trim', 'json', 'yaml', 'yml'].includes(format))
    conversion.error(fields.span, `load_var has no format "${format}"`, 'Write raw, trim, json or yaml.');
  const environment: TaskEnvironment = { fixed: new Map(), running: new Map(), arguments: new Map() };
  const fileWord = quoteParts(templateParts(file, fields.span, 'running', conversion), environment);
  const usedFields = [...(conversion.localFields.get(name) ?? [])];
  const fieldsToWrite = usedFields.length === 0 ? [''] : usedFields;
  const lines = fieldsToWrite.flatMap((field) => [
    'value="$(',
    readCommand(field, format),
    ...fileWord,
    ')"\n',
    checkAndWrite(name, field),
  ]);
  return hclBlock(
    'task',
    [visibleText(name)],
    [
      ...body,
      ...environmentAttribute(environment),
      hclBlock('run', ['shell'], [hclAttribute('cmd', writeScript(joinParts(lines)))]),
    ],
  );
}

/**
 * Reports how the task differs from the `load_var`. The value becomes an output of the task. Such a value is
 * not secret, and must be one line.
 */
function reportDifferences(
  { name, format, isRevealed }: { name: string; format: string; isRevealed: boolean },
  leaveOut: (text: string) => void,
): void {
  if (!isRevealed) leaveOut(`load_var ${name}: the log can show the value, as with reveal`);
  leaveOut(`load_var ${name}: the task fails if the value has several lines`);
  if (['yaml', 'yml'].includes(format)) leaveOut('format: yaml has no counterpart: the file must be JSON');
  if (format === 'raw') leaveOut('format: raw has no counterpart: the value loses line ends at its end');
}

/** The format that Concourse derives from the extension of the file. */
function formatOf(file: string): string {
  const ending = file.slice(file.lastIndexOf('.') + 1);
  return ['json', 'yaml', 'yml'].includes(ending) ? ending : 'trim';
}

/**
 * The shell command that prints the value from a file. The name of the file must be appended. `field`: which
 * field of the value to print; empty: the whole value.
 */
function readCommand(field: string, format: string): TemplatePart {
  if (format === 'raw') return 'cat ';
  if (format === 'trim') return "sed 's/^[[:space:]]*//; s/[[:space:]]*$//' ";
  const path = field
    .split('.')
    .map((part) => (part === '' ? '.' : `.${JSON.stringify(part)}`))
    .join('');
  return `jq -r '${path} | if . == null then error("there is no value") else tostring end' `;
}

/**
 * The lines of the script that write `$value` to `$SVC_OUTPUT`. They fail if the value has several lines,
 * because each line of `$SVC_OUTPUT` is one variable.
 */
function checkAndWrite(name: string, field: string): string {
  const key = field === '' ? 'VALUE' : wordOf(field);
  const shownName = Array.from(name, (letter) => (/[A-Za-z0-9_.-]/.test(letter) ? letter : ' ')).join('');
  return [
    `if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then`,
    `  echo 'load_var ${shownName}: the value has several lines, and a variable has one' >&2`,
    '  exit 1',
    'fi',
    `printf '${key}=%s\\n' "$value" >>"$SVC_OUTPUT"`,
    '',
  ].join('\n');
}
