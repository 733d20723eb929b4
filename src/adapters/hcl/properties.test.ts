import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test, jest } from '@jest/globals';
import { assert, constantFrom, oneof, property, shuffledSubarray, string } from 'fast-check';
import { hasErrors } from '#domain/language/diagnostic.ts';
import type { Body } from '#domain/language/syntax.ts';
import { mutatedTexts, suiteTexts } from './arbitrary-texts.ts';
import { buildEngine } from './build.ts';
import { startEngine } from './engine.ts';
import type { HclEngine } from './engine.ts';
import { readPipeline } from './read-pipeline.ts';

// Slow machines take long to start threads and programs.
jest.setTimeout(60_000);

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 300_000);

const folder = fileURLToPath(new URL('../../domain/language/testdata', import.meta.url));

describe('any text', () => {
  test('has a pipeline or errors, each with a code, a place inside the text and a message of one line', () => {
    assert(
      property(oneof(mutatedTexts, string({ maxLength: 200 })), (text) => {
        const { pipeline, diagnostics } = readPipeline(engine, text, {});
        expect(pipeline === undefined).toBe(hasErrors(diagnostics));
        const lines = text.split('\n').length;
        for (const { range, message, help } of diagnostics) {
          expect(message).toMatch(/^[^\n]+$/);
          expect(help).toMatch(/^[^\n]+$/);
          if (range) expect(range.start.line).toBeLessThanOrEqual(lines + 1);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('is laid out to the same text twice', () => {
    assert(
      property(constantFrom(...suiteTexts), (text) => {
        const once = engine.format(text);
        expect(engine.format(once)).toBe(once);
      }),
      { numRuns: 200 },
    );
  });
});

const outline = (body: Body | undefined): unknown =>
  body?.items.map((item) =>
    item.kind === 'attribute'
      ? item.name
      : [item.type, item.labels.map(({ text }) => text), outline(item.body)],
  );

/** What a text declares, whatever the order of its blocks. */
function declared(text: string): unknown {
  const { pipeline } = readPipeline(engine, text, {});
  return pipeline && { ...pipeline, jobs: pipeline.jobs.toSorted((a, b) => a.name.localeCompare(b.name)) };
}

describe('order', () => {
  const steps = [
    'get "cron" "a" {}',
    'put "p" "q" {}',
    'task "t" {}',
    'get "cron" "b" {}',
    'task "a" {}',
    'x = 1',
    'a = 2',
  ];

  test('of a tree is the order of the text', () => {
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

  test('of blocks changes nothing but the order of what they declare', () => {
    const source = readFileSync(join(folder, 'valid/demo.hcl'), 'utf8');
    const blocks = source.split(/\n\n(?=\w)/);
    const expected = declared(source);
    expect(expected).toBeDefined();
    assert(
      property(shuffledSubarray(blocks, { minLength: blocks.length }), (shuffled) => {
        expect(declared(`${shuffled.join('\n\n')}\n`)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });
});
