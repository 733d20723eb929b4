import { Socket } from 'node:net';
import type { ShimCommand } from '#adapters/process/shim-commands.ts';
import { ShimConnection, type Listener, type Running } from '#adapters/process/shim-connection.ts';

interface PrintedOutput {
  stdout?: string;
  stderr?: string;
  code?: number;
  /** Absent: the command ends at once. */
  until?: Promise<unknown>;
}

const refuseFrames = (): never => {
  throw new Error('nothing is sent');
};

/** A container whose commands print what `print` returns, and then end. */
export class PrintingContainer extends ShimConnection {
  readonly #print: (command: ShimCommand) => PrintedOutput;

  constructor(name: string, print: (command: ShimCommand) => PrintedOutput) {
    super(name, new Socket(), { seal: refuseFrames, open: refuseFrames });
    this.#print = print;
  }

  override run(command: ShimCommand, { onOutput }: Listener): Running {
    const { stdout = '', stderr = '', code = 0, until } = this.#print(command);
    void onOutput('stdout', Buffer.from(stdout));
    void onOutput('stderr', Buffer.from(stderr));
    const exit = {
      message: '',
      outOfMemory: false,
      terminated: false,
      leftovers: false,
      commandEnded: false,
    };
    const end = { ...exit, end: { kind: 'code' as const, code }, output: '' };
    return { id: 1, ended: Promise.resolve(until).then(() => end), signal: () => undefined };
  }
}
