import { describe, expect, test } from '@jest/globals';
import {
  METADATA_LIMITS,
  parseProtocolCheck,
  parseProtocolResult,
  type ProtocolResult,
} from './parse-protocol-output.ts';

const mask = (text: string): string => text.replaceAll('s3cret', '***');

const checks: Record<string, { stdout: string; versions: Record<string, string>[] | string }> = {
  'prints versions, oldest first': {
    stdout: '[{"ref":"a"},{"ref":"b","at":"1"}]',
    versions: [{ ref: 'a' }, { ref: 'b', at: '1' }],
  },
  'prints versions over several lines': { stdout: '[\n  {\n "n": "1"\n }\n]\n', versions: [{ n: '1' }] },
  'prints several arrays': { stdout: '[{"n":"1"}]\nnull\n[{"n":"2"}]', versions: [{ n: '1' }, { n: '2' }] },
  'prints null if there are no versions': { stdout: 'null\n', versions: [] },
  'prints an empty array if there are no versions': { stdout: '[]', versions: [] },
  'prints field names that are not names of shell variables': {
    stdout: '[{"a.b-c":"1","":"2"}]',
    versions: [{ 'a.b-c': '1', '': '2' }],
  },
  'prints nothing': {
    stdout: '',
    versions: 'The check printed nothing; expected a JSON array of objects of strings.',
  },
  'prints text that is not JSON, and a secret': {
    stdout: 'with s3cret\n',
    versions:
      'The check did not print JSON; expected a JSON array of objects of strings. ' +
      String.raw`It begins with: "with ***\n"`,
  },
  'prints an object': {
    stdout: '{"n":"1"}',
    versions: 'The check printed JSON that is not an array;',
  },
  'prints a version with a number': {
    stdout: '[{"n":"1"},{"n":2}]',
    versions: 'The check printed an array whose element 1 is not a version;',
  },
  'prints a version with an object': {
    stdout: '[{"n":{"m":"1"}}]',
    versions: 'element 0 is not a version',
  },
  'prints a version without fields': {
    stdout: '[{}]',
    versions: 'element 0 is not a version',
  },
  'prints a version that is too long': {
    stdout: JSON.stringify([{ n: 'x'.repeat(70_000) }]),
    versions: 'element 0 is not a version',
  },
};

describe("a check with Concourse's protocol", () => {
  test.each(Object.entries(checks))('%s', (_, { stdout, versions }) => {
    const output = parseProtocolCheck(stdout, mask);
    if (typeof versions === 'string')
      expect(output).toMatchObject({ error: expect.stringContaining(versions) });
    else expect(output).toMatchObject({ versions });
  });

  test('adds at most its newest 100 versions', () => {
    const many = Array.from({ length: 120 }, (_, index) => ({ n: String(index) }));
    expect(parseProtocolCheck(JSON.stringify(many), mask)).toEqual({
      ok: true,
      versions: many.slice(20),
      leftOut: 20,
    });
  });
});

const version = { ref: 'a' };
const results: Record<
  string,
  { program?: 'in' | 'out'; stdout: string; result: Partial<ProtocolResult> | string }
> = {
  'has a version and metadata': {
    stdout: '{"version":{"ref":"a"},"metadata":[{"name":"by","value":"me","type":"x"}]}',
    result: { version, metadata: [{ name: 'by', value: 'me' }], cut: false },
  },
  'may have null for metadata': {
    stdout: '{"version":{"ref":"a"},"metadata":null}',
    result: { version, metadata: [], cut: false },
  },
  'may have no metadata, and members of newer protocols': {
    stdout: '{"version":{"ref":"a"},"more":1}\n',
    result: { version, metadata: [] },
  },
  'shows values of its metadata as JSON if they are not texts': {
    stdout: '{"version":{"ref":"a"},"metadata":[{"name":"n","value":[1,{"a":null}]},{"name":"none"}]}',
    result: {
      metadata: [
        { name: 'n', value: '[1,{"a":null}]' },
        { name: 'none', value: '' },
      ],
    },
  },
  'masks secrets, and replaces characters that the database cannot store': {
    stdout: String.raw`{"version":{"ref":"a"},"metadata":[{"name":"s3cret","value":"a s3cret \u0000"}]}`,
    result: { metadata: [{ name: '***', value: 'a *** \uFFFD' }] },
  },
  'masks a secret that a limit would cut': {
    stdout: JSON.stringify({
      version,
      metadata: [{ name: 'n', value: `${'x'.repeat(METADATA_LIMITS.value - 3)}s3cret` }],
    }),
    result: { metadata: [{ name: 'n', value: `${'x'.repeat(METADATA_LIMITS.value - 3)}***` }], cut: false },
  },
  'of a get needs no version': { program: 'in', stdout: '{}', result: { metadata: [] } },
  'of a put needs a version': {
    stdout: '{"metadata":[]}',
    result:
      'out printed no version; expected a JSON object with version and metadata. ' +
      String.raw`It begins with: "{\"metadata\":[]}"`,
  },
  'must have texts in its version': {
    program: 'in',
    stdout: '{"version":{"n":1}}',
    result: 'in printed no version;',
  },
  'must be only one object': {
    stdout: '{"version":{"ref":"a"}}{}',
    result: 'out did not print one JSON object;',
  },
  'must be an object': {
    stdout: '[]',
    result: 'out printed JSON that is not an object;',
  },
  'must not be blank': {
    program: 'in',
    stdout: ' \n',
    result: 'in printed nothing;',
  },
  'must have a list as its metadata': {
    stdout: '{"version":{"ref":"a"},"metadata":{"name":"x"}}',
    result: 'out printed metadata that is not a list of names and values;',
  },
  'must have a name in each entry of its metadata': {
    stdout: '{"version":{"ref":"a"},"metadata":[{"value":"x"}]}',
    result: 'out printed metadata that is not a list of names and values;',
  },
};

describe("the result of a get or put with Concourse's protocol", () => {
  test.each(Object.entries(results))('%s', (_, { program = 'out', stdout, result }) => {
    const output = parseProtocolResult(program, stdout, mask);
    if (typeof result === 'string') expect(output).toMatchObject({ error: expect.stringContaining(result) });
    else expect(output).toMatchObject({ result });
  });

  test('has each entry of its metadata shortened, and entries beyond the limits left out', () => {
    const long = { name: 'n'.repeat(300), value: 'v'.repeat(5000) };
    const many = Array.from({ length: 60 }, (_, index) => ({ name: String(index), value: '' }));
    const shown = (metadata: unknown) => {
      const output = parseProtocolResult('out', JSON.stringify({ version, metadata }), mask);
      return output.ok ? output.result : undefined;
    };
    expect(shown([long])).toEqual({
      version,
      metadata: [{ name: long.name.slice(0, 200), value: long.value.slice(0, 4096) }],
      cut: true,
    });
    expect(shown(many)).toEqual({ version, metadata: many.slice(0, 50), cut: true });
    expect(shown(Array.from({ length: 20 }, () => long))?.metadata).toHaveLength(7);
  });
});
