import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { definitions, type Schema } from './kinds.ts';
import { fences, pages, ROOT } from './markdown.ts';

/** An example in the documentation that a test checks. */
export interface Example {
  /** Such as `docs/page.md:12`. */
  at: string;
  text: string;
}

export interface HclExample extends Example {
  /** Variables that the manifest sets. */
  vars: Record<string, string>;
  /** Variables from Secrets; their names are not in the manifest. */
  secrets: string[];
  /** Codes of diagnostics that the example demonstrates; empty: it must compile without any. */
  expected: string[];
}

/**
 * Every HCL block of the pages. After the word `hcl`: `with=<name>` prepends a declaration from
 * `SURROUNDINGS`, `shows=<code>` expects a diagnostic, `given=<name>` is a variable that the manifest sets,
 * `secret=<name>` one from a Secret.
 */
export function hclBlocks(): HclExample[] {
  return pages().flatMap(({ path, text }) =>
    fences(text)
      .filter(({ word }) => word === 'hcl')
      .map(({ attributes, text: block, line }) => ({
        at: `${path}:${line}`,
        text: surroundings(optionsOf(attributes, 'with')) + block,
        vars: Object.fromEntries(
          optionsOf(attributes, 'given').map((name) => [name, 'https://git.example.org/given.git']),
        ),
        secrets: optionsOf(attributes, 'secret'),
        expected: optionsOf(attributes, 'shows'),
      })),
  );
}

function optionsOf(attributes: string, name: string): string[] {
  return attributes
    .split(/\s+/)
    .filter((word) => word.startsWith(`${name}=`))
    .flatMap((word) => word.slice(name.length + 1).split(','));
}

/** Declarations that examples leave out. */
const SURROUNDINGS: Record<string, string> = {
  app:
    'resource "git" "app" {\n  params {\n    url  = "https://git.example.org/app.git"\n' +
    '    name = "app"\n    token = "given by a Secret"\n  }\n}\n',
  chat: 'notification "slack" "ops" {\n  params {\n    webhook_url = "https://chat.example.org/hook"\n  }\n}\n',
  unit: 'job "unit" {\n  get "git" "app" {}\n}\n',
};

function surroundings(names: string[]): string {
  return names
    .map((name) => {
      const text = SURROUNDINGS[name];
      if (text === undefined) throw new Error(`SURROUNDINGS has no declaration "${name}"`);
      return text;
    })
    .join('');
}

/** A manifest of one of Millrace's kinds. */
export interface ExampleManifest {
  at: string;
  object: Record<string, unknown>;
}

/** Every object of Millrace's API group in pages and samples. */
export function exampleManifests(): ExampleManifest[] {
  const blocks = pages().flatMap(({ path, text }) =>
    fences(text)
      .filter(({ word }) => word === 'yaml')
      .map(({ text: block, line }) => ({ at: `${path}:${line}`, text: block })),
  );
  const files = readdirSync(join(ROOT, 'config/samples'))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => ({
      at: `config/samples/${file}`,
      text: readFileSync(join(ROOT, 'config/samples', file), 'utf8'),
    }));
  return [...blocks, ...files].flatMap(({ at, text }) =>
    parseAllDocuments(text).flatMap((document) => {
      const [fault] = document.errors;
      if (fault !== undefined) throw new Error(`${at}: ${fault.message}`);
      const object: unknown = document.toJS();
      return isRecord(object) && String(object['apiVersion']).startsWith('millrace.dev/')
        ? [{ at, object }]
        : [];
    }),
  );
}

/**
 * The HCL text of a Pipeline's manifest, with its variables. Empty for other kinds and for a Pipeline without
 * a text.
 */
export function hclOf({ at, object }: ExampleManifest): HclExample[] {
  const spec = isRecord(object['spec']) ? object['spec'] : {};
  const text = spec['config'];
  if (object['kind'] !== 'Pipeline' || typeof text !== 'string') return [];
  const vars = isRecord(spec['vars']) ? spec['vars'] : {};
  const fromSecrets = JSON.stringify(spec['varsFrom'] ?? []).includes('secretRef');
  const declared = [...text.matchAll(/^[ \t]*variable[ \t]+"([^"\n]+)"[ \t]*\{([^{}]*)\}/gm)];
  const secrets = declared.flatMap(([, name = '', body = '']) =>
    fromSecrets && !(name in vars) && !body.includes('default') ? [name] : [],
  );
  const strings = Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, String(value)]));
  return [{ at, text, vars: strings, secrets, expected: [] }];
}

/**
 * Fields of the spec that its definition does not have, and required fields that are missing. Values of maps
 * are not checked.
 */
export function faultsOf({ at, object }: ExampleManifest): string[] {
  const definition = definitions().find(({ spec }) => spec.names.kind === object['kind']);
  const version = definition?.spec.versions.find(
    ({ name }) => `${definition.spec.group}/${name}` === object['apiVersion'],
  );
  if (version === undefined) return [`${at}: there is no kind ${String(object['kind'])}`];
  const schema = version.schema.openAPIV3Schema;
  return fieldFaults(object['spec'], schema.properties?.['spec'] ?? {}, `${at}: spec`);
}

function fieldFaults(value: unknown, schema: Schema, path: string): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => fieldFaults(item, schema.items ?? {}, `${path}[${index}]`));
  }
  if (!isRecord(value) || schema.properties === undefined) return [];
  const missing = (schema.required ?? []).filter((name) => !(name in value));
  return [
    ...missing.map((name) => `${path} lacks ${name}`),
    ...Object.entries(value).flatMap(([name, field]) => {
      const fieldSchema = schema.properties?.[name];
      return fieldSchema === undefined
        ? [`${path} has no field ${name}`]
        : fieldFaults(field, fieldSchema, `${path}.${name}`);
    }),
  ];
}

/** Code blocks with shell commands, of all pages. */
export function shellBlocks(): Example[] {
  return pages().flatMap(({ path, text }) =>
    fences(text)
      .filter(({ word }) => word === 'sh' || word === 'bash' || word === 'console')
      .map(({ text: block, line }) => ({ at: `${path}:${line}`, text: block })),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
