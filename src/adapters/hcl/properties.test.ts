import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { array, assert, constantFrom, oneof, property, shuffledSubarray, string } from 'fast-check';
import { hasErrors } from '#domain/language/diagnostic.ts';
import type { Body, HclProblem, Item } from '#domain/language/syntax.ts';
import { expressionTexts, mutatedTexts, suiteTexts } from '#testing/hcl/arbitrary-texts.ts';
import { propertyRuns } from '#testing/hcl/property-runs.ts';
import { buildEngine } from './build.ts';
import { compileText } from './compile-text.ts';
import { startEngine, type HclEngine } from './engine.ts';

// Slow machines take long to start threads and programs.
jest.setTimeout(3_600_000);

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

const folder = fileURLToPath(new URL('../../domain/language/testdata', import.meta.url));

describe('any text of the language', () => {
  test('gives a pipeline, a list of needed sources, or errors with one-line messages and lines of the text', () => {
    assert(
      property(oneof(mutatedTexts, string({ maxLength: 200 })), (text) => {
        const { pipeline, diagnostics, needs = [] } = compileText(engine, text, {});
        expect(pipeline === undefined).toBe(hasErrors(diagnostics) || needs.length > 0);
        const lines = text.split('\n').length;
        for (const { range, message, help } of diagnostics) {
          expect(message).toMatch(/^[^\n]+$/);
          expect(help).toMatch(/^[^\n]+$/);
          if (range) expect(range.start.line).toBeLessThanOrEqual(lines + 1);
        }
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  test('keeps its layout when it is formatted a second time', () => {
    let soundTexts = 0;
    assert(
      property(oneof(constantFrom(...suiteTexts), expressionTexts, mutatedTexts), (text) => {
        const formatted = engine.format(text);
        if (!isSound(text)) return;
        soundTexts += 1;
        expect(engine.format(formatted)).toBe(formatted);
      }),
      { numRuns: propertyRuns(1000) },
    );
    expect(soundTexts).toBeGreaterThan(propertyRuns(300));
  });

  test('keeps its meaning and all characters except blanks when it is formatted', () => {
    const layouts = array(constantFrom(' ', '  ', '\t', '   '), { minLength: 50, maxLength: 50 });
    assert(
      property(oneof(constantFrom(...suiteTexts), expressionTexts), layouts, (text, blanks) => {
        const loose = loosen(text, blanks);
        const formatted = engine.format(loose);
        expect(meaning(formatted)).toEqual(meaning(loose));
        expect(withoutBlanks(formatted)).toBe(withoutBlanks(loose));
      }),
      { numRuns: propertyRuns(1000) },
    );
  });
});

function isSound(text: string): boolean {
  const document = engine.parse(text, 200);
  document.release();
  return document.problems.length === 0;
}

const withoutBlanks = (text: string): string => text.replaceAll(/\s/g, '');

/**
 * The text with other blanks before the first word of a line and around `=`. A text with a heredoc or a block
 * comment stays unchanged.
 */
function loosen(text: string, blanks: readonly string[]): string {
  if (/<<|\/\*/.test(text)) return text;
  let count = 0;
  const blank = (): string => blanks[count++ % blanks.length] ?? ' ';
  return text.replaceAll(/^[ \t]*(\w+) = /gm, (_, name: string) => `${blank()}${name}${blank()}=${blank()}`);
}

/**
 * Summary and detail of a problem, without the positions in some details of HCL and without its random
 * suggestions.
 */
const wordsOf = ({ summary, detail }: HclProblem): string[] => [
  summary,
  detail.replaceAll(/:[\d,-]+| Did you mean [^?]*\?/g, ''),
];

/** What a text means, without positions. */
function meaning(text: string): unknown {
  const document = engine.parse(text, 200, '2026-02-03T04:05:06Z');
  const describeItem = (item: Item): unknown => {
    if (item.kind === 'block') {
      return [item.type, item.labels.map((label) => label.text), item.body.items.map(describeItem)];
    }
    const { value, problems } = document.evaluate(item.expression, new Map());
    return [item.name, value ?? problems.map(wordsOf)];
  };
  const described = [document.problems.map(wordsOf), document.body?.items.map(describeItem)];
  document.release();
  return described;
}

const outline = (body: Body | undefined): unknown =>
  body?.items.map((item) =>
    item.kind === 'attribute'
      ? item.name
      : [item.type, item.labels.map(({ text }) => text), outline(item.body)],
  );

/**
 * What a text declares, with all lists sorted, because the order of its blocks must not matter. A
 * notification about all jobs lists them in that order too.
 */
function declared(text: string): unknown {
  const { pipeline } = compileText(engine, text, {});
  if (pipeline === undefined) return undefined;
  const notifications = pipeline.notifications?.map((notification) => ({
    ...notification,
    jobs: notification.jobs?.toSorted(),
  }));
  const members = Object.entries({ ...pipeline, notifications }).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? byText(value) : value,
  ]);
  return Object.fromEntries(members);
}

const byText = (list: readonly unknown[]): string[] =>
  list.map((element) => JSON.stringify(element)).toSorted();

describe('the order', () => {
  const steps = [
    'get "cron" "a" {}',
    'put "p" "q" {}',
    'task "t" {}',
    'get "cron" "b" {}',
    'task "a" {}',
    'x = 1',
    'a = 2',
  ];

  test('of the syntax tree is the order of the text', () => {
    assert(
      property(shuffledSubarray(steps), (shuffled) => {
        const document = engine.parse(`job "j" {\n${shuffled.join('\n')}\n}\n`, 200);
        expect(document.problems).toEqual([]);
        document.release();
        const names = shuffled.map((step) => {
          const [type = '', ...labels] = step
            .replaceAll(/[{}"]| =.*/g, '')
            .trim()
            .split(/ +/);
          return step.includes('=') ? type : [type, labels, []];
        });
        expect(outline(document.body)).toEqual([['job', ['j'], names]]);
      }),
    );
  });

  test.each(['valid/demo.hcl', 'all/every-construct.hcl'])(
    'of the blocks of %s only affects the order of what they declare',
    (name) => {
      const source = readFileSync(join(folder, name), 'utf8');
      const blocks = source.split(/\n\n(?=\w)/);
      const expected = declared(source);
      expect(expected).toBeDefined();
      assert(
        property(shuffledSubarray(blocks, { minLength: blocks.length }), (shuffled) => {
          expect(declared(`${shuffled.join('\n\n')}\n`)).toEqual(expected);
        }),
        { numRuns: propertyRuns(100) },
      );
    },
  );
});
