import { expect, test } from '@jest/globals';
import type { HclCompiler } from '#adapters/hcl/compile.ts';
import { createFairPool } from '#domain/scheduling/fair-pool.ts';
import { compilerFor, onDemandCompiler } from './on-demand-compiler.ts';

/** A factory that counts how many compilers it created and how many were closed. */
function countedCompilers(): { create: () => HclCompiler; created: () => number; closed: () => number } {
  let created = 0;
  let closed = 0;
  const create = (): HclCompiler => {
    created += 1;
    return {
      compile: () => Promise.resolve({ diagnostics: [] }),
      close: () => {
        closed += 1;
        return Promise.resolve();
      },
    };
  };
  return { create, created: () => created, closed: () => closed };
}

test('starts the compiler on first use and closes it when idle', async () => {
  const { create, created, closed } = countedCompilers();
  const closedWhenIdle = Promise.withResolvers<void>();
  const compiler = onDemandCompiler(create, { idleMs: 1, onClosed: closedWhenIdle.resolve });
  expect(created()).toBe(0);
  await Promise.all([compiler.compile('', {}), compiler.compile('', {})]);
  expect(created()).toBe(1);
  await closedWhenIdle.promise;
  expect(closed()).toBe(1);
  await compiler.compile('', {});
  expect(created()).toBe(2);
});

test('close() closes the compiler that was started', async () => {
  const { create, closed } = countedCompilers();
  const compiler = onDemandCompiler(create, { idleMs: 60_000 });
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

test('texts of several namespaces take turns in the compiler, however many one namespace has', async () => {
  const compiled: string[] = [];
  const compiler = onDemandCompiler(oneAtATime(compiled), { idleMs: 60_000 });
  const greedy = compilerFor('greedy', compiler);
  const texts = [1, 2, 3, 4].map((number) => greedy.compile(`greedy ${number}`, {}));
  await Promise.all([
    ...texts,
    ...['blue', 'red'].map((namespace) => compilerFor(namespace, compiler).compile(namespace, {})),
  ]);
  await compiler.close();
  expect(compiled).toEqual(['greedy 1', 'greedy 2', 'blue', 'red', 'greedy 3', 'greedy 4']);
});
