import { Socket } from 'node:net';
import type { ShimCommand } from '#adapters/process/shim-commands.ts';
import { ShimConnection, type Listener, type Running } from '#adapters/process/shim-connection.ts';

interface PrintedOutput {
  stdout?: string;
  stderr?: string;
  code?: number;
}

const refuseFrames = (): never => {
  throw new Error('nothing is sent');
};

/** A container whose commands end at once and print what `print` returns. */
export class PrintingContainer extends ShimConnection {
  readonly #print: (command: ShimCommand) => PrintedOutput;

  constructor(name: string, print: (command: ShimCommand) => PrintedOutput) {
    super(name, new Socket(), { seal: refuseFrames, open: refuseFrames });
    this.#print = print;
  }

  override run(command: ShimCommand, { onOutput }: Listener): Running {
    const { stdout = '', stderr = '', code = 0 } = this.#print(command);
    void onOutput('stdout', Buffer.from(stdout));
    void onOutput('stderr', Buffer.from(stderr));
    const exit = {
      message: '',
      outOfMemory: false,
      terminated: false,
      leftovers: false,
      commandEnded: false,
    };
    const ended = Promise.resolve({ ...exit, end: { kind: 'code' as const, code }, output: '' });
    return { id: 1, ended, signal: () => undefined };
  }
}
