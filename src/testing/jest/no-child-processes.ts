import childProcess, { ChildProcess } from 'node:child_process';
import { TestEnvironment } from 'jest-environment-node';

const SYNCHRONOUS = ['execFileSync', 'execSync', 'spawnSync'] as const;

function refuse(): never {
  throw new Error('A unit test starts no child process. Name the file <what>.child-process.test.ts.');
}

/** The node environment without child processes: programs start slowly and depend on the machine. */
export default class NoChildProcesses extends TestEnvironment {
  readonly #spawn = Reflect.get(ChildProcess.prototype, 'spawn');
  readonly #synchronous = SYNCHRONOUS.map((name) => [name, childProcess[name]] as const);

  override async setup(): Promise<void> {
    await super.setup();
    Reflect.set(ChildProcess.prototype, 'spawn', refuse);
    for (const name of SYNCHRONOUS) Reflect.set(childProcess, name, refuse);
  }

  override async teardown(): Promise<void> {
    Reflect.set(ChildProcess.prototype, 'spawn', this.#spawn);
    for (const [name, own] of this.#synchronous) Reflect.set(childProcess, name, own);
    await super.teardown();
  }
}
