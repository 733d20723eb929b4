import { format } from 'prettier';
import type { AttributeSchema, BlockSchema } from '#domain/language/block-schema.ts';
import { functionNames } from '#domain/language/function-names.ts';
import { pipelineSchema } from '#domain/language/pipeline-schema.ts';
import { notYet, notYetOfType } from '#domain/pipeline/not-yet-run.ts';

export const LANGUAGE_PAGE = 'docs/reference/pipeline.md';

/**
 * `<!-- block job.get -->` … `<!-- end -->`: the part between is generated from the schema that validates
 * pipelines.
 */
const PLACE = /<!-- (block|runner|list|type) ([\w.]+) -->((?:(?!<!--)[\s\S])*)<!-- end -->/g;

/** Marks what the operator refuses. */
const NOT_YET = '**not yet**';
const REFUSED = `${NOT_YET}: this version reads it, and refuses a pipeline that uses it.`;

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
  return format(filled, { parser: 'markdown', singleQuote: true, printWidth: 110 });
}

const contents: Readonly<Record<string, (name: string) => string>> = {
  block: blockTable,
  runner: runnerTable,
  list: () => functionList(),
  type: typeNote,
};

/** Every row of the language. */
export function allRows(): string[] {
  const rows = new Set<string>();
  const seen = new Set<BlockSchema>();
  const look = (schema: BlockSchema, path: readonly string[]): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    for (const row of rowsOf(schema, path)) rows.add(row);
    for (const [name, { schema: inner }] of Object.entries(schema.blocks)) look(inner, [...path, name]);
    if (schema.unlabelled && schema.unlabelled.blocks !== schema.blocks) look(schema.unlabelled, path);
  };
  look(pipelineSchema, []);
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

/** Paths that the page has tables for. */
export const tablesIn = (page: string): string[] => placesIn(page, 'block').map(({ name }) => name);

/** The places of one kind in a page. */
export function placesIn(page: string, kind: 'block' | 'type'): { name: string; text: string }[] {
  return [...page.matchAll(PLACE)]
    .filter(([, found]) => found === kind)
    .map(([, , name = '', text = '']) => ({ name, text }));
}

function schemaAt(path: string): BlockSchema {
  if (path === 'pipeline') return pipelineSchema;
  return path.split('.').reduce((schema, name) => {
    const nested = schema.blocks[name] ?? schema.unlabelled?.blocks[name];
    if (!nested) throw new Error(`the language has no block ${path}`);
    return nested.schema;
  }, pipelineSchema);
}

function blockTable(path: string): string {
  const names = path === 'pipeline' ? [] : path.split('.');
  const rows = rowsOf(schemaAt(path), names);
  const refused = names.some((name, index) => notYet(names.slice(0, index), name) === true);
  const note = refused ? [sentenceCase(REFUSED), ''] : [];
  return [...note, '| Attribute or block | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

const sentenceCase = (text: string): string => text.replace(/[a-z]/, (letter) => letter.toUpperCase());

/** What this release does not run of a built-in type. */
function typeNote(name: string): string {
  const later = notYetOfType(`svc://${name}`);
  if (later === false) return '';
  return later === true ? sentenceCase(REFUSED) : sentenceCase(`${NOT_YET}: ${later}; it works without.`);
}

function rowsOf(schema: BlockSchema, path: readonly string[]): string[] {
  const { attributes, blocks, open, unlabelled, shorter } = schema;
  const own = [
    ...attributeRows({ ...shortening(shorter), ...attributes }, path),
    ...(open === 'text' ? ['| any other | string, number or bool | A parameter. |'] : []),
    ...(open === 'lists'
      ? ['| any | list of strings, numbers or bools | An axis: its name and its values. |']
      : []),
    ...Object.entries(blocks).map(
      ([name, { schema: inner, about, required }]) =>
        `| \`${header(name, inner)}\` | block | ${marked(sentence(about, required), notYet(path, name))} |`,
    ),
  ];
  if (!unlabelled) return own;
  // A block with the same content, except for attributes that it has already.
  return unlabelled.blocks === blocks ? own : [...own, ...rowsOf(unlabelled, path)];
}

/** The attribute that replaces labels; it is required without them. */
function shortening(shorter: BlockSchema['shorter']): BlockSchema['attributes'] {
  const { attribute = '', schema } = shorter ?? {};
  const found = schema?.attributes[attribute];
  return found ? { [attribute]: { ...found, required: false } } : {};
}

/** `later`: whether the operator refuses it, or which part. */
function marked(about: string, later: string | boolean): string {
  if (later === false) return about;
  return later === true ? `${NOT_YET}: ${about}` : `${about} (${NOT_YET}: ${later})`;
}

function attributeRows(attributes: BlockSchema['attributes'], path: readonly string[] = []): string[] {
  return Object.entries(attributes).map(([name, schema]) => {
    const { type, about, required, choices } = schema;
    const known =
      choices && type !== 'strings' ? choices.map((choice) => `\`${choice}\``).join(', ') : undefined;
    const some =
      choices && type === 'strings' ? `list of ${choices.map((one) => `\`${one}\``).join(', ')}` : undefined;
    const meaning = marked(sentence(about + rangeOf(schema), required), notYet(path, name));
    return `| \`${name}\` | ${known ?? some ?? TYPES[type]} | ${meaning} |`;
  });
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

const functionList = (): string => functionNames.map((name) => `\`${name}\``).join(' ');
