import { expect, test } from '@jest/globals';
import { programOfProcess } from './process-cost.ts';

test.each([
  ['a program has its own name', ['/usr/bin/etcd', '--data-dir=x'], 'etcd'],
  ['a child of Postgres with its own title counts as Postgres', ['postgres: walwriter '], 'postgres'],
  [
    'a script of Node has the name of its file',
    ['/opt/node', '/x/simulated-agent.ts', '--a'],
    'simulated-agent.ts',
  ],
  [
    'Millrace has the name of its component',
    ['/opt/node', '/x/dist/millrace.js', 'gateway', '--role'],
    'gateway',
  ],
  ['a process that has ended has no name', [''], ''],
])('%s', (_sentence, command, program) => {
  expect(programOfProcess(command)).toBe(program);
});
