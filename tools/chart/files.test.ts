import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { checkout } from '#tools/checkout.ts';
import { chart, chartFiles } from './files.ts';
import { valueRows } from './values-table.ts';

const text = (...path: string[]): string => readFileSync(join(chart, ...path), 'utf8');

describe('the chart contains', () => {
  test.each(Object.entries(chartFiles()))('%s as `node tools/chart/main.ts` writes it', (path, content) => {
    expect(text(path)).toBe(content);
  });

  test('each definition of crds/ and no other', () => {
    expect(readdirSync(join(chart, 'files', 'crds'))).toEqual(readdirSync(join(checkout, 'crds')));
  });
});

describe('the values of the chart', () => {
  const rows = valueRows(text('values.yaml'));

  test('are all in the table of the README, with their defaults', () => {
    const table = text('README.md').slice(text('README.md').indexOf('## Values'));
    const documented = [...table.matchAll(/^\| `([^`]+)` +\| `([^`]*)` +\|/gm)].map(([, name, fallback]) => ({
      name,
      fallback,
    }));
    expect(documented).toEqual(rows);
  });

  test('have a schema that refuses every other name', () => {
    const schema: Schema = JSON.parse(text('values.schema.json'));
    const withoutLimit = [...objectsIn(schema, '')].filter(
      ({ inner }) => inner.properties && inner.additionalProperties !== false,
    );
    expect(withoutLimit.map(({ path }) => path)).toEqual([]);
  });
});

interface Schema {
  properties?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
}

function* objectsIn(schema: Schema, path: string): Generator<{ path: string; inner: Schema }> {
  yield { path, inner: schema };
  for (const [name, inner] of Object.entries({ ...schema.properties, ...schema.definitions })) {
    yield* objectsIn(inner, `${path}/${name}`);
  }
}

test('no template calls a function whose result changes between two renderings', () => {
  const templates = readdirSync(join(chart, 'templates'), { recursive: true, encoding: 'utf8' });
  const files = templates.filter((name) => /\.(yaml|tpl|txt)$/.test(name));
  expect(files.length).toBeGreaterThan(8);
  for (const name of files) {
    const calls = [...text('templates', name).matchAll(/\{\{(.*?)\}\}/gs)]
      .map(([, inside]) => inside ?? '')
      .join('\n');
    expect(calls).not.toMatch(
      /\b(rand\w+|uuidv4|gen(CA|PrivateKey|SelfSigned|Signed)\w*|now|htpasswd|bcrypt)\b/,
    );
    expect(calls).not.toMatch(/\b(derivePassword|encryptAES|lookup|getHostByName)\b/);
  }
});
