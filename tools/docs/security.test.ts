import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from './markdown.ts';

/* The tables of docs/security.md are complete, and the tests that they name exist. */
const PAGE = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

interface Row {
  number: string;
  level: string;
  state: string;
  how: string;
  proof: string;
}

/** Rows below a heading whose first cell is the number of a requirement. */
function rowsBelow(heading: string): Row[] {
  const [, after = ''] = PAGE.split(`\n## ${heading}\n`);
  const [section = ''] = after.split('\n## ');
  return section.split('\n').flatMap((line) => {
    const cells = line.split('|').slice(1, -1);
    const [number = '', ...rest] = cells.map((cell) => cell.trim());
    if (!/^\d+(\.\d+)+$/.test(number)) return [];
    const [state = '', how = '', proof = ''] = rest.slice(-3);
    return [{ number, level: rest[0] ?? '', state, how, proof }];
  });
}

/** Rows below a heading whose last cell names tests. */
function attacksBelow(heading: string): { attack: string; proof: string }[] {
  const [, after = ''] = PAGE.split(`\n## ${heading}\n`);
  const [section = ''] = after.split('\n## ');
  return section.split('\n').flatMap((line) => {
    const [attack = '', , proof = ''] = line.split(/(?<!\\)\|/).slice(1, -1);
    return /^[ -]*$|^ Attack /.test(attack) ? [] : [{ attack: attack.trim(), proof }];
  });
}

const ATTACKS = attacksBelow('Attacks and their tests');
const ASVS = rowsBelow('OWASP ASVS 5.0, level 2');
const OAUTH = rowsBelow('RFC 9700, OAuth 2.0 security');

const upTo = (section: string, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `${section}.${index + 1}`);

/** Requirements of levels 1 and 2 of version 5.0.0: each section, and the number of its requirements. */
const REQUIREMENTS = [
  ['6.1', 3],
  ['6.2', 12],
  ['6.3', 4],
  ['6.4', 4],
  ['6.5', 5],
  ['6.6', 3],
  ['6.8', 4],
  ['7.1', 3],
  ['7.2', 4],
  ['7.3', 2],
  ['7.4', 5],
  ['7.5', 2],
  ['7.6', 2],
  ['8.1', 2],
  ['8.2', 3],
  ['8.3', 1],
  ['8.4', 1],
] as const;

describe('the tables of docs/security.md', () => {
  test('contain every requirement once', () => {
    expect(ASVS.map(({ number }) => number)).toEqual(
      REQUIREMENTS.flatMap(([section, last]) => upTo(section, last)),
    );
    expect(ASVS.every(({ level }) => level === '1' || level === '2')).toBe(true);
  });

  test('contain every section of RFC 9700 about clients and about attacks', () => {
    const sections = [...new Set(OAUTH.map(({ number }) => number))];
    expect(sections).toEqual(['2.1', '2.1.1', '2.1.2', ...upTo('2', 6).slice(1), ...upTo('4', 17)]);
  });
});

/** What is wrong with a proof: its file must exist and have a test, a group or a case of this name. */
function faultOf(proof: string): string | undefined {
  const [, file = '', title = ''] = /^(.+?) › (.+)$/.exec(proof) ?? [];
  const path = join(ROOT, file.startsWith('e2e/') ? '' : 'src', `${file}.test.ts`);
  if (!existsSync(path)) return `${proof}: no such file`;
  const text = readFileSync(path, 'utf8');
  const isNamed = ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote}`));
  return isNamed ? undefined : `${proof}: no such test`;
}

const proofsOf = ({ proof }: Pick<Row, 'proof'>): string[] =>
  [...proof.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** Items of a list below a heading, each of which names a test. */
function testsBelow(heading: string): string[] {
  const [, after = ''] = PAGE.split(`\n## ${heading}\n`);
  const [section = ''] = after.split('\n## ');
  return [...section.matchAll(/^- `([^`]+ › [^`]+)`$/gm)].map(([, proof = '']) => proof);
}

test('every claim about Pods has an existing test', () => {
  const tests = testsBelow('Which Pods are believed');
  expect(tests.length).toBeGreaterThan(5);
  expect(tests.flatMap((proof) => faultOf(proof) ?? [])).toEqual([]);
});

describe.each([...ASVS, ...OAUTH])('$number', (row) => {
  test('names only tests that exist', () => {
    expect(proofsOf(row).flatMap((proof) => faultOf(proof) ?? [])).toEqual([]);
  });

  test('has a known state, and a proof or a reason', () => {
    expect(['holds', 'partly', 'no', 'n/a']).toContain(row.state);
    // A requirement that holds names a test or a document; one that does not has a reason.
    const shown = row.state === 'holds' ? row.proof !== '' || row.how.includes('](') : row.how !== '';
    expect([row.number, shown]).toEqual([row.number, true]);
  });
});

describe.each(ATTACKS)('$attack', (row) => {
  test('names only tests that exist', () => {
    expect(proofsOf(row)).not.toEqual([]);
    expect(proofsOf(row).flatMap((proof) => faultOf(proof) ?? [])).toEqual([]);
  });
});
