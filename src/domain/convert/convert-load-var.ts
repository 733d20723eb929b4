import type { JobScope } from './step-scope.ts';
import {
  hclAttribute,
  hclBlock,
  visibleText,
  writeScript,
  type HclBlock,
  type HclNode,
} from './write-hcl.ts';
import { templateParts, wordOf } from './write-value.ts';
import type { YamlFields } from './yaml-fields.ts';

/**
 * Writes a task that copies the content of the file to `$SVC_OUTPUT`. Later steps see `$TASK_<NAME>_VALUE`.
 */
export function convertLoadVar(fields: YamlFields, { conversion }: JobScope): HclBlock {
  const name = fields.needed('load_var') ?? 'unnamed';
  const file = fields.needed('file') ?? '';
  const format = fields.text('format') ?? formatOf(file);
  const body: HclNode[] = [];
  // The value becomes an output of a task, which is not secret.
  if (fields.flag('reveal') !== true)
    conversion.leaveOut(body, fields.span, `load_var ${name}: the log can show the value, as with reveal`);
  if (!['raw', 'trim', 'json', 'yaml', 'yml'].includes(format))
    conversion.error(fields.span, `load_var has no format "${format}"`, 'Write raw, trim, json or yaml.');
  if (['yaml', 'yml'].includes(format))
    conversion.leaveOut(body, fields.span, 'format: yaml has no counterpart: the file must be JSON');
  const isText = ['raw', 'trim'].includes(format);
  const usedFields = [...(conversion.localFields.get(name) ?? [])];
  const fieldsToWrite = usedFields.length === 0 ? [''] : usedFields;
  const lines = fieldsToWrite.map((field) => scriptLine(field, file, isText));
  const script = templateParts(`${lines.join('\n')}\n`, fields.span, 'running', conversion);
  return hclBlock(
    'task',
    [visibleText(name)],
    [...body, hclBlock('run', ['shell'], [hclAttribute('cmd', writeScript(script))])],
  );
}

function formatOf(file: string): string {
  const ending = file.slice(file.lastIndexOf('.') + 1);
  return ['json', 'yaml', 'yml'].includes(ending) ? ending : 'trim';
}

function scriptLine(field: string, file: string, isText: boolean): string {
  const key = field === '' ? 'VALUE' : wordOf(field);
  const quoted = `'${file.replaceAll("'", "'\\''")}'`;
  const path =
    field === ''
      ? '.'
      : `.${field
          .split('.')
          .map((part) => JSON.stringify(part))
          .join('.')}`;
  const value = isText ? `$(cat ${quoted})` : `$(jq -r '${path.replaceAll("'", '')}' ${quoted})`;
  return `printf '${key}=%s\\n' "${value}" >>"$SVC_OUTPUT"`;
}
