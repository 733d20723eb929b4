import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { killIfRunning } from '#testing/process/kill-if-running.ts';

const END_MARK = '--- done ---';

/**
 * One shell that runs commands one after another, as in a terminal: variables and background jobs persist.
 * The first command that fails ends the shell.
 */
export class ReadmeShell {
  readonly #child: ChildProcessWithoutNullStreams;
  #output = '';
  #onOutput: () => void = () => undefined;
  #ended = false;

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    // A process group of its own, so that background jobs end with the shell.
    this.#child = spawn('bash', ['-e', '-o', 'pipefail', '-s'], { cwd, env, detached: true });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#onOutput();
      });
    }
    this.#child.on('close', () => {
      this.#ended = true;
      this.#onOutput();
    });
  }

  /** Runs a command and returns what the shell printed meanwhile. Throws if the command fails. */
  async run(command: string): Promise<string> {
    this.#child.stdin.write(`{ ${command}\n} < /dev/null\necho; echo '${END_MARK}'\n`);
    while (!this.#output.includes(`${END_MARK}\n`)) {
      if (this.#ended) throw new Error(`$ ${command}\n${this.#output}`);
      await new Promise<void>((resolve) => {
        this.#onOutput = resolve;
      });
    }
    const [before = '', ...after] = this.#output.split(`${END_MARK}\n`);
    this.#output = after.join('');
    return before;
  }

  close(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#ended) return;
    killIfRunning(-pid, 'SIGTERM');
  }
}
