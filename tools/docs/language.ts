import type { AttributeSchema, BlockSchema } from '#domain/language/block-schema.ts';
import { functionNames } from '#domain/language/function-names.ts';
import { pipelineSchema } from '#domain/language/pipeline-schema.ts';
import { formatText } from '#tools/format.ts';

export const LANGUAGE_PAGE = 'docs/reference/pipeline.md';

/**
 * `<!-- block job.get -->` … `<!-- end -->`: the part between is generated from the schema that validates
 * pipelines.
 */
const PLACE = /<!-- (block|runner|list) ([\w.]+) -->((?:(?!<!--)[\s\S])*)<!-- end -->/g;

const TYPES: Record<AttributeSchema['type'], string> = {
  string: 'string',
  bool: 'bool',
  integer: 'whole number',
  duration: 'duration',
  strings: 'list of strings',
  environment: 'map of strings',
  keyword: 'word',
  type: 'type',
  constant: 'fixed value',
  value: 'set or map',
};

/** The page with its tables generated from the schema. */
export function withLanguage(page: string): Promise<string> {
  const filled = page.replaceAll(PLACE, (_place, kind: string, name: string) => {
    return `<!-- ${kind} ${name} -->\n\n${contents[kind]?.(name) ?? ''}\n\n<!-- end -->`;
  });
  return formatText(LANGUAGE_PAGE, filled);
}

const contents: Readonly<Record<string, (name: string) => string>> = {
  block: blockTable,
  runner: runnerTable,
  list: () => functionList(),
};

/** Every table row of the language, except those of runners. */
export function allRows(): string[] {
  const rows = new Set<string>();
  const seen = new Set<BlockSchema>();
  const visit = (schema: BlockSchema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    for (const row of rowsOf(schema)) rows.add(row);
    for (const { schema: inner } of Object.values(schema.blocks)) visit(inner);
    if (schema.unlabelled && schema.unlabelled.blocks !== schema.blocks) visit(schema.unlabelled);
  };
  visit(pipelineSchema);
  return [...rows].map(squeeze);
}

/** The rows of a page's tables, as `allRows` writes them. */
export function rowsIn(page: string): string[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map(squeeze);
}

const squeeze = (row: string): string => row.replaceAll(/ +/g, ' ');

/** Paths of the blocks that the page has tables for. */
export const tablesIn = (page: string): string[] =>
  [...page.matchAll(PLACE)].flatMap(([, kind, name = '']) => (kind === 'block' ? [name] : []));

function schemaAt(path: string): BlockSchema {
  if (path === 'pipeline') return pipelineSchema;
  return path.split('.').reduce((schema, name) => {
    const nested = schema.blocks[name] ?? schema.unlabelled?.blocks[name];
    if (!nested) throw new Error(`the language has no block ${path}`);
    return nested.schema;
  }, pipelineSchema);
}

function blockTable(path: string): string {
  const rows = rowsOf(schemaAt(path));
  return ['| Attribute or block | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function rowsOf(schema: BlockSchema): string[] {
  const { attributes, blocks, open, unlabelled, shorter } = schema;
  const own = [
    ...attributeRows({ ...shortening(shorter), ...attributes }),
    ...(open === 'text' ? ['| any other | string, number or bool | A parameter. |'] : []),
    ...(open === 'values'
      ? ['| any other | string, number or bool | A parameter. For a type with `protocol`, any value. |']
      : []),
    ...(open === 'lists'
      ? ['| any | list of strings, numbers or bools | An axis: its name and its values. |']
      : []),
    ...Object.entries(blocks).map(
      ([name, { schema: inner, about, required }]) =>
        `| \`${header(name, inner)}\` | block | ${sentence(about, required)} |`,
    ),
  ];
  if (!unlabelled) return own;
  // If the form without a label has the same blocks, its attributes are in the rows already.
  return unlabelled.blocks === blocks ? own : [...own, ...rowsOf(unlabelled)];
}

/** The attribute that replaces labels, as an optional one: it is required only without labels. */
function shortening(shorter: BlockSchema['shorter']): BlockSchema['attributes'] {
  const { attribute = '', schema } = shorter ?? {};
  const attributeSchema = schema?.attributes[attribute];
  return attributeSchema ? { [attribute]: { ...attributeSchema, required: false } } : {};
}

function attributeRows(attributes: BlockSchema['attributes']): string[] {
  return Object.entries(attributes).map(([name, schema]) => {
    const meaning = sentence(schema.about + rangeOf(schema), schema.required);
    return `| \`${name}\` | ${typeOrChoices(schema)} | ${meaning} |`;
  });
}

function typeOrChoices({ type, choices }: AttributeSchema): string {
  if (!choices) return TYPES[type];
  const listed = choices.map((choice) => `\`${choice}\``).join(', ');
  return type === 'strings' ? `list of ${listed}` : listed;
}

/** Whole numbers only: all durations have the same range, which the page states once. */
const rangeOf = ({ type, atLeast, atMost }: AttributeSchema): string =>
  type === 'integer' ? ` Range: ${atLeast} to ${atMost?.toLocaleString('en')}.` : '';

const header = (name: string, { labels, unlabelled }: BlockSchema): string => {
  const written = labels.map((label) => ` "<${label}>"`).join('');
  return unlabelled ? `${name}[${written}]` : `${name}${written}`;
};

const sentence = (about: string, required?: boolean): string =>
  (required === true ? `Required. ${about}` : about).replaceAll('|', '\\|');

function runnerTable(name: string): string {
  const schema = name === 'override' ? schemaAt('resource_type.runner') : schemaAt('job.task.run');
  const common = attributeRows(schema.attributes).map((row) => `| any ${row}`);
  const own = Object.entries(schema.variants ?? {}).flatMap(([runner, { attributes }]) =>
    attributeRows(attributes).map((row) => `| \`${runner}\` ${row}`),
  );
  const rows = [...own, ...common];
  return ['| Runner | Attribute | Type | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** Every function, in lines of at most 100 characters. */
function functionList(): string {
  const lines: string[] = [];
  for (const name of functionNames.map((text) => `\`${text}\``)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length < 100) lines.splice(-1, 1, `${last} ${name}`);
    else lines.push(name);
  }
  return lines.join('\n');
}
