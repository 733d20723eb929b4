import childProcess, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

/*
 * A setup file of Jest for unit tests: they must not start programs, which start slowly and depend on the
 * machine.
 */
function refuse(): never {
  throw new Error('A unit test starts no child process. Name the file <what>.child-process.test.ts.');
}

Reflect.set(ChildProcess.prototype, 'spawn', refuse);
for (const name of ['execFileSync', 'execSync', 'spawnSync'] as const)
  Reflect.set(childProcess, name, refuse);
syncBuiltinESMExports();
