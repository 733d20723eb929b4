import { expect, test } from '@jest/globals';
import type { Compiler } from '#adapters/hcl/compile.ts';
import { idleCompiler } from './idle-compiler.ts';

function counted(): { create: () => Compiler; made: () => number; closed: () => number } {
  let [made, closed] = [0, 0];
  const create = (): Compiler => {
    made += 1;
    return {
      compile: () => Promise.resolve({ diagnostics: [] }),
      close: () => {
        closed += 1;
        return Promise.resolve();
      },
    };
  };
  return { create, made: () => made, closed: () => closed };
}

test('a compiler is made when it is needed and closed when it is not', async () => {
  const { create, made, closed } = counted();
  const rest = Promise.withResolvers<void>();
  const compiler = idleCompiler(create, { idleMs: 1, rested: rest.resolve });
  expect(made()).toBe(0);
  await Promise.all([compiler.compile('', {}), compiler.compile('', {})]);
  expect(made()).toBe(1);
  await rest.promise;
  expect(closed()).toBe(1);
  await compiler.compile('', {});
  expect(made()).toBe(2);
});

test('closing it closes the one that is there', async () => {
  const { create, closed } = counted();
  const compiler = idleCompiler(create, { idleMs: 60_000 });
  await compiler.close();
  expect(closed()).toBe(0);
  await compiler.compile('', {});
  await compiler.close();
  expect(closed()).toBe(1);
});
