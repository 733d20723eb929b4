import childProcess, { ChildProcess } from 'node:child_process';
import { TestEnvironment } from 'jest-environment-node';

const SYNCHRONOUS = ['execFileSync', 'execSync', 'spawnSync'] as const;

function refuse(): never {
  throw new Error('A unit test starts no child process. Name the file <what>.child-process.test.ts.');
}

/**
 * Node's own number of calls in the stack of an error. Jest records 100, and `expect` makes an error each time
 * it is called: about an eighth of the time of random tests of the scheduler, in a profile.
 */
const STACK_FRAMES = 10;

/**
 * The environment of Jest without child processes, because programs start slowly and depend on the machine,
 * and with short stacks.
 */
export default class UnitEnvironment extends TestEnvironment {
  readonly #spawn = Reflect.get(ChildProcess.prototype, 'spawn');
  readonly #synchronous = SYNCHRONOUS.map((name) => [name, childProcess[name]] as const);

  override async setup(): Promise<void> {
    await super.setup();
    this.global.Error.stackTraceLimit = STACK_FRAMES;
    Reflect.set(ChildProcess.prototype, 'spawn', refuse);
    for (const name of SYNCHRONOUS) Reflect.set(childProcess, name, refuse);
  }

  override async teardown(): Promise<void> {
    Reflect.set(ChildProcess.prototype, 'spawn', this.#spawn);
    for (const [name, own] of this.#synchronous) Reflect.set(childProcess, name, own);
    await super.teardown();
  }
}
