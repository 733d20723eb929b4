import { describe, expect, test } from '@jest/globals';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Finding } from './finding.ts';
import { toSarif } from './sarif.ts';

/*
 * The parts of SARIF 2.1.0 (OASIS, errata 01) that reports use, as closed schemas: a new property must be
 * added here first. The numbers are sections of the standard.
 */
const closed = { additionalProperties: false };
const text = Type.Object({ text: Type.String({ minLength: 1 }) }, closed);
const level = Type.Union([
  Type.Literal('none'),
  Type.Literal('note'),
  Type.Literal('warning'),
  Type.Literal('error'),
]);
const position = Type.Integer({ minimum: 1 });
/** 3.30 */
const region = Type.Object(
  {
    startLine: position,
    startColumn: Type.Optional(position),
    endLine: Type.Optional(position),
    endColumn: Type.Optional(position),
  },
  closed,
);
/** 3.49 */
const rule = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    shortDescription: text,
    help: Type.Optional(text),
    defaultConfiguration: Type.Object({ level }, closed),
  },
  closed,
);
/** 3.27; a URI reference without spaces or letters beyond ASCII (3.4.3, RFC 3986) */
const uri = Type.String({ pattern: "^[A-Za-z0-9\\-._~:/?#\\[\\]@!$&'()*+,;=%]+$" });
/** 3.33 */
const logicalLocation = Type.Object(
  { name: Type.String(), fullyQualifiedName: Type.String(), kind: Type.String() },
  closed,
);
const result = Type.Object(
  {
    ruleId: Type.String(),
    ruleIndex: Type.Integer({ minimum: 0 }),
    level,
    message: text,
    locations: Type.Array(
      Type.Object(
        {
          physicalLocation: Type.Object({ artifactLocation: Type.Object({ uri }, closed), region }, closed),
          logicalLocations: Type.Optional(Type.Array(logicalLocation)),
        },
        closed,
      ),
    ),
  },
  closed,
);
const log = Type.Object(
  {
    $schema: Type.String({
      pattern: '^https://docs\\.oasis-open\\.org/sarif/.*/sarif-schema-2\\.1\\.0\\.json$',
    }),
    version: Type.Literal('2.1.0'),
    runs: Type.Array(
      Type.Object(
        {
          tool: Type.Object(
            {
              driver: Type.Object(
                {
                  name: Type.String({ minLength: 1 }),
                  semanticVersion: Type.String(),
                  rules: Type.Array(rule),
                },
                closed,
              ),
            },
            closed,
          ),
          columnKind: Type.Union([Type.Literal('unicodeCodePoints'), Type.Literal('utf16CodeUnits')]),
          results: Type.Array(result),
        },
        closed,
      ),
    ),
  },
  closed,
);

const finding = (more: Partial<Finding>): Finding => ({
  severity: 'error',
  code: 'unknown-block',
  message: 'there is no block "tsk"; did you mean "task"?',
  help: 'Blocks here: task.',
  file: 'a.hcl',
  ...more,
});

function reportOf(findings: readonly Finding[], source = ''): Static<typeof log>['runs'][number] {
  const report = Value.Parse(log, toSarif(findings, new Map([['a.hcl', source]])));
  const [run] = report.runs;
  if (!run) throw new Error('a report has one run');
  return run;
}

describe('a report in SARIF', () => {
  test('is valid without findings', () => {
    expect(reportOf([])).toMatchObject({ results: [], tool: { driver: { rules: [] } } });
  });

  test('has each code once, whether of the language or of the command line', () => {
    const { tool, results } = reportOf([
      finding({}),
      finding({ code: 'no-pipeline', severity: 'warning' }),
      finding({}),
    ]);
    expect(tool.driver.rules.map(({ id, defaultConfiguration }) => [id, defaultConfiguration.level])).toEqual(
      [
        ['no-pipeline', 'warning'],
        ['unknown-block', 'error'],
      ],
    );
    expect(results.map(({ ruleIndex }) => ruleIndex)).toEqual([1, 0, 1]);
  });

  test('has the problem and the help in one message', () => {
    const texts = reportOf([finding({}), finding({ message: 'it is wrong' })]).results.map(
      ({ message }) => message.text,
    );
    expect(texts).toEqual([
      'there is no block "tsk"; did you mean "task"? Blocks here: task.',
      'it is wrong. Blocks here: task.',
    ]);
  });

  test('counts columns in code points', () => {
    const place = { start: { line: 1, column: 5 }, end: { line: 1, column: 6 } };
    // A letter with a combining accent, and an emoji of three people: each is one grapheme.
    const { results } = reportOf([finding({ place })], 'e\u0301\u{1F468}\u200D\u{1F469}\u200D\u{1F467}ab!');
    expect(results[0]?.locations[0]?.physicalLocation.region).toEqual({
      startLine: 1,
      startColumn: 10,
      endLine: 1,
      endColumn: 11,
    });
  });

  test('names the enclosing blocks', () => {
    const blocks = ['job "deploy"', 'put "git" "app"'];
    const { results } = reportOf([finding({ blocks }), finding({})]);
    expect(results.map(({ locations }) => locations[0]?.logicalLocations)).toEqual([
      [{ name: 'put "git" "app"', fullyQualifiedName: 'job "deploy", put "git" "app"', kind: 'block' }],
      undefined,
    ]);
  });

  test('puts a finding about a whole file on its first line', () => {
    expect(reportOf([finding({})]).results[0]?.locations[0]?.physicalLocation.region).toEqual({
      startLine: 1,
    });
  });

  test('names files by URIs', () => {
    const names = ['./ci/ä b.hcl', '/tmp/x#y.hcl', '<stdin>'];
    const uris = reportOf(names.map((file) => finding({ file }))).results.map(
      ({ locations }) => locations[0]?.physicalLocation.artifactLocation.uri,
    );
    expect(uris).toEqual(['ci/%C3%A4%20b.hcl', 'file:///tmp/x%23y.hcl', '%3Cstdin%3E']);
  });
});
