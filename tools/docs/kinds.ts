import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { parse } from 'yaml';
import { ROOT } from './markdown.ts';

/** The part of a JSON schema that our definitions use. */
export interface Schema {
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  items?: Schema;
  required?: string[];
  enum?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-validations'?: { rule: string; message: string }[];
}

export interface Definition {
  spec: {
    group: string;
    scope: string;
    names: { kind: string; plural: string; shortNames?: string[] };
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
}

export const KINDS_PAGE = 'docs/reference/kinds.md';

/** Definitions in `crds/`, Pipeline first, because people write it most. */
export function definitions(): Definition[] {
  const folder = join(ROOT, 'crds');
  const read = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file): Definition => parse(readFileSync(join(folder, file), 'utf8')));
  const order = ['Pipeline', 'Team', 'OAuthProvider'];
  return read.toSorted((a, b) => order.indexOf(a.spec.names.kind) - order.indexOf(b.spec.names.kind));
}

/** The reference of custom resources, generated from their definitions. */
export function kindsPage(of: Definition[]): Promise<string> {
  const opening = `# Kinds

<!-- Made by \`node tools/docs/main.ts\` from crds/: change the definitions, not this page. -->

This page lists every field of the three kinds, as \`kubectl explain\` shows it.
\`[]\` stands for the elements of a list, \`{}\` for the values of a map.
`;
  return format([opening, ...of.map(section)].join('\n'), {
    parser: 'markdown',
    singleQuote: true,
    printWidth: 110,
  });
}

function section({ spec }: Definition): string {
  const [version] = spec.versions;
  if (version === undefined) throw new Error(`${spec.names.kind} has no version`);
  const schema = version.schema.openAPIV3Schema;
  const { kind, plural, shortNames = [] } = spec.names;
  const scope = spec.scope === 'Cluster' ? 'for the whole cluster' : 'in a namespace';
  return [
    `## ${kind}`,
    `\`${spec.group}/${version.name}\`, ${scope}; \`kubectl get ${[plural, ...shortNames].join('` or `kubectl get ')}\`.`,
    schema.description ?? '',
    rules(schema),
    ...partOf(kind, 'spec', schema),
    ...partOf(kind, 'status', schema),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
    .concat('\n');
}

function partOf(kind: string, name: 'spec' | 'status', schema: Schema): string[] {
  const { description = '', properties = {}, required = [] } = schema.properties?.[name] ?? {};
  const fields = Object.entries(properties).flatMap(([field, its]) =>
    rows(its, `${name}.${field}`, required.includes(field)),
  );
  return [`### ${kind} ${name}`, description, table(fields)];
}

/** Validation rules anywhere in the kind. */
function rules(schema: Schema): string {
  const messages = [...new Set(messagesIn(schema))];
  if (messages.length === 0) return '';
  return ['The API server holds these rules:', '', ...messages.map((message) => `- ${message}`)].join('\n');
}

function messagesIn(schema: Schema): string[] {
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return [
    ...(schema['x-kubernetes-validations'] ?? []).map(({ message }) => message),
    ...inner.flatMap((child) => (child === undefined ? [] : messagesIn(child))),
  ];
}

interface Row {
  path: string;
  type: string;
  description: string;
}

function rows(schema: Schema, path: string, required: boolean): Row[] {
  const own = {
    path,
    type: [typeOf(schema), ...(required ? ['required'] : [])].join(', '),
    description: schema.description ?? '',
  };
  const element = schema.items ?? schema.additionalProperties;
  const below = element ?? schema;
  const mark = schema.items === undefined ? (element === undefined ? '' : '{}') : '[]';
  const inner = Object.entries(below.properties ?? {}).flatMap(([name, field]) =>
    rows(field, `${path}${mark}.${name}`, below.required?.includes(name) ?? false),
  );
  return [own, ...inner];
}

function typeOf(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'quantity';
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${word}\``).join(' or ');
  if (schema.items !== undefined)
    return `list of ${typeOf(schema.items)}${bounds(schema.minItems, schema.maxItems)}`;
  if (schema.additionalProperties !== undefined) return `map of ${typeOf(schema.additionalProperties)}`;
  if (schema.type === 'integer') return `integer${bounds(schema.minimum, schema.maximum)}`;
  if (schema.type === 'string') return `string${bounds(undefined, schema.maxLength, ' characters')}`;
  return schema.type ?? 'any';
}

function bounds(least: number | undefined, most: number | undefined, unit = ''): string {
  if (most !== undefined)
    return least === undefined || least === 0 ? ` (≤ ${most}${unit})` : ` (${least}–${most}${unit})`;
  return least === undefined || least === 0 ? '' : ` (≥ ${least}${unit})`;
}

function table(all: Row[]): string {
  return [
    '| Field | Type | What it is |',
    '| --- | --- | --- |',
    ...all.map(
      ({ path, type, description }) => `| \`${path}\` | ${escaped(type)} | ${escaped(description)} |`,
    ),
  ].join('\n');
}

function escaped(text: string): string {
  const parts = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim().split('`');
  return parts.map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '\\<') : part)).join('`');
}
