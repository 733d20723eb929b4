import { expect, test } from '@jest/globals';
import type { HclCompiler } from '#adapters/hcl/compile.ts';
import { createFairPool } from '#domain/scheduling/fair-pool.ts';
import { compilerFor, idleCompiler } from './idle-compiler.ts';

/** Compilers that count how many of them were opened and closed. */
function countedCompilers(): { create: () => HclCompiler; opened: () => number; closed: () => number } {
  let opened = 0;
  let closed = 0;
  const create = (): HclCompiler => {
    opened += 1;
    return {
      compile: () => Promise.resolve({ diagnostics: [] }),
      close: () => {
        closed += 1;
        return Promise.resolve();
      },
    };
  };
  return { create, opened: () => opened, closed: () => closed };
}

test('an idle compiler is started on demand and closed after it was idle', async () => {
  const { create, opened, closed } = countedCompilers();
  const closedWhenIdle = Promise.withResolvers<void>();
  const compiler = idleCompiler(create, { idleMs: 1, onClosed: closedWhenIdle.resolve });
  expect(opened()).toBe(0);
  await Promise.all([compiler.compile('', {}), compiler.compile('', {})]);
  expect(opened()).toBe(1);
  await closedWhenIdle.promise;
  expect(closed()).toBe(1);
  await compiler.compile('', {});
  expect(opened()).toBe(2);
});

test('closing an idle compiler closes the running one', async () => {
  const { create, closed } = countedCompilers();
  const compiler = idleCompiler(create, { idleMs: 60_000 });
  await compiler.close();
  expect(closed()).toBe(0);
  await compiler.compile('', {});
  await compiler.close();
  expect(closed()).toBe(1);
});

/** A compiler that compiles one text at a time. `compiled` gets the texts in the order of their turns. */
function oneAtATime(compiled: string[]): () => HclCompiler {
  const pool = createFairPool(['seat']);
  return () => ({
    async compile(source, _variables, _sources, share = '') {
      const seat = await pool.acquire(share);
      compiled.push(String(source));
      await new Promise(setImmediate);
      pool.release(seat);
      return { diagnostics: [] };
    },
    close: () => Promise.resolve(),
  });
}

test('texts of several teams take turns in the compiler, however many one team has', async () => {
  const compiled: string[] = [];
  const compiler = idleCompiler(oneAtATime(compiled), { idleMs: 60_000 });
  const greedy = compilerFor('greedy', compiler);
  const texts = [1, 2, 3, 4].map((number) => greedy.compile(`greedy ${number}`, {}));
  await Promise.all([
    ...texts,
    ...['blue', 'red'].map((team) => compilerFor(team, compiler).compile(team, {})),
  ]);
  await compiler.close();
  expect(compiled).toEqual(['greedy 1', 'greedy 2', 'blue', 'red', 'greedy 3', 'greedy 4']);
});
