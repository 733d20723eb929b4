import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { typeText } from './type-text.ts';
import { TYPES, wantedTypes } from './write-types.ts';

test('the types are those that the definitions in crds/ make', async () => {
  expect(readFileSync(TYPES, 'utf8')).toBe(await wantedTypes());
});

test('a definition becomes an interface with its descriptions, and only required fields are always there', () => {
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
export interface ThingObject {
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
