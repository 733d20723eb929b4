import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { typeText } from './type-text.ts';
import { generatedTypes, TYPES } from './write-types.ts';

test('the types equal those generated from crds/', async () => {
  expect(readFileSync(TYPES, 'utf8')).toBe(await generatedTypes());
});

test('a definition becomes an interface with descriptions; fields that are not required become optional', () => {
  const text = typeText([
    `
spec:
  group: example.dev
  names: { kind: Thing }
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          description: A thing.
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: { type: integer, description: How large. }
                names: { type: array, items: { type: string } }
                tone: { type: string, enum: [dark, light] }
                amounts: { type: object, additionalProperties: { x-kubernetes-int-or-string: true } }
`,
  ]);
  expect(text).toContain(`/** A thing. */
export interface ThingCustomResource {
  apiVersion: 'example.dev/v1';
  kind: 'Thing';
  metadata: V1ObjectMeta;
  spec: {
    /** How large. */
    size: number;
    names?: string[];
    tone?: 'dark' | 'light';
    amounts?: Record<string, number | string>;
  };`);
});

interface Schema {
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema;
  enum?: string[];
  format?: string;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  pattern?: string;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** Path and schema of each field below spec and status. */
function fieldsOf(schema: Schema, path: string): [string, Schema][] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    fieldsOf(property, `${path}.${name}`),
  );
  const items = schema.items === undefined ? [] : fieldsOf(schema.items, `${path}[]`);
  const values =
    schema.additionalProperties === undefined ? [] : fieldsOf(schema.additionalProperties, `${path}{}`);
  return [[path, schema], ...inner, ...items, ...values];
}

function allFields(): [string, Schema][] {
  const folder = new URL('../../crds/', import.meta.url);
  return readdirSync(folder).flatMap((file) => {
    const definition: {
      spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
    } = parse(readFileSync(new URL(file, folder), 'utf8'));
    const root = definition.spec.versions[0]?.schema.openAPIV3Schema ?? {};
    return ['spec', 'status'].flatMap((part) => fieldsOf(root.properties?.[part] ?? {}, `${file} ${part}`));
  });
}

const isBounded = (schema: Schema): boolean =>
  (schema.type !== 'string' ||
    schema.maxLength !== undefined ||
    schema.enum !== undefined ||
    schema.format === 'date-time') &&
  (schema.type !== 'array' || schema.maxItems !== undefined) &&
  (schema.additionalProperties === undefined || schema.maxProperties !== undefined) &&
  schema['x-kubernetes-preserve-unknown-fields'] === undefined;

describe('every field of every definition', () => {
  test('has a description for kubectl explain', () => {
    const named = allFields().filter(([path]) => !path.endsWith('{}') && !path.endsWith('[]'));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(([, { description = '' }]) => description.length < 10).map(([path]) => path)).toEqual(
      [],
    );
  });

  test('is bounded, so that its validation rules stay cheap', () => {
    expect(
      allFields()
        .filter(([, schema]) => !isBounded(schema))
        .map(([path]) => path),
    ).toEqual([]);
  });
});
