import { parse } from 'yaml';

interface Schema {
  type?: string;
  description?: string;
  enum?: string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema;
  'x-kubernetes-int-or-string'?: boolean;
}

interface Definition {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
}

const HEADER = `// Made from crds/*.yaml by \`node tools/crds/write-types.ts\`: change the YAML, never this file.
import type { V1ObjectMeta } from '@kubernetes/client-node';
`;

/** TypeScript for the custom resources that the texts define, one interface for each. */
export function typeText(yamlTexts: string[]): string {
  return [HEADER, ...yamlTexts.map(interfaceText)].join('\n');
}

function interfaceText(yamlText: string): string {
  const definition: Definition = parse(yamlText);
  const { group, names, versions } = definition.spec;
  const version = versions[0];
  if (version === undefined) throw new Error(`${names.kind} has no version.`);
  const { properties = {}, description } = version.schema.openAPIV3Schema;
  return [
    ...comment(description, ''),
    `export interface ${names.kind}CustomResource {`,
    `  apiVersion: '${group}/${version.name}';`,
    `  kind: '${names.kind}';`,
    '  metadata: V1ObjectMeta;',
    ...member('spec', properties['spec'] ?? {}, true, '  '),
    ...member('status', properties['status'] ?? {}, false, '  '),
    '}',
    '',
  ].join('\n');
}

function member(name: string, schema: Schema, required: boolean, indent: string): string[] {
  const [first = '', ...rest] = type(schema, indent);
  const lines = [`${indent}${name}${required ? '' : '?'}: ${first}`, ...rest];
  lines.push(`${lines.pop() ?? ''};`);
  return [...comment(schema.description, indent), ...lines];
}

function type(schema: Schema, indent: string): string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['number | string'];
  if (schema.enum !== undefined) return [schema.enum.map((value) => `'${value}'`).join(' | ')];
  if (schema.type === 'array') return arrayOf(type(schema.items ?? {}, indent));
  if (schema.type === 'object') return object(schema, indent);
  return [SCALARS[schema.type ?? ''] ?? 'unknown'];
}

const SCALARS: Record<string, string> = {
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  string: 'string',
};

function arrayOf(item: string[]): string[] {
  const last = item.pop() ?? '';
  return item.length === 0 && last.includes('|') ? [`(${last})[]`] : [...item, `${last}[]`];
}

function object(schema: Schema, indent: string): string[] {
  if (schema.additionalProperties !== undefined) {
    return [`Record<string, ${type(schema.additionalProperties, indent).join('\n')}>`];
  }
  const required = new Set(schema.required);
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    member(name, property, required.has(name), `${indent}  `),
  );
  return ['{', ...members, `${indent}}`];
}

function comment(description: string | undefined, indent: string): string[] {
  if (description === undefined) return [];
  const text = description.trim();
  const line = `${indent}/** ${text} */`;
  if (line.length <= MAX_COLUMNS) return [line];
  return [`${indent}/**`, ...wrapped(text, `${indent} * `), `${indent} */`];
}

const MAX_COLUMNS = 110;

/** The words of the text in lines that start with the prefix. */
function wrapped(text: string, prefix: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && prefix.length + line.length + 1 + word.length > MAX_COLUMNS) {
      lines.push(`${prefix}${line}`);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, `${prefix}${line}`];
}
