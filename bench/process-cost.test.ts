import { expect, test } from '@jest/globals';
import { programOf } from './process-cost.ts';

test.each([
  ['a program is known by its name', ['/usr/bin/etcd', '--data-dir=x'], 'etcd'],
  ['a child of Postgres, which says what it does, is Postgres', ['postgres: walwriter '], 'postgres'],
  ['a script is known by its own name', ['/opt/node', '/x/simulated-agent.ts', '--a'], 'simulated-agent.ts'],
  ['of our program, its door', ['/opt/node', '/x/dist/millrace.js', 'gateway', '--role'], 'gateway'],
  ['a process that has ended has none', [''], ''],
])('%s', (_sentence, command, program) => {
  expect(programOf(command)).toBe(program);
});
