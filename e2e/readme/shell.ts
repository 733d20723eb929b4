import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

const MARK = '--- done ---';

/**
 * One shell in which commands follow each other, as in a terminal: variables and background jobs stay. The
 * first that fails ends it.
 */
export class Shell {
  readonly #child: ChildProcessWithoutNullStreams;
  #said = '';
  #heard: () => void = () => undefined;
  #over = false;

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    // A group of its own, so that what runs in the background ends with it.
    this.#child = spawn('bash', ['-e', '-o', 'pipefail', '-s'], { cwd, env, detached: true });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text;
        this.#heard();
      });
    }
    this.#child.on('close', () => {
      this.#over = true;
      this.#heard();
    });
  }

  /** All that was printed until the command was done; fails with it when the command does. */
  async run(command: string): Promise<string> {
    this.#child.stdin.write(`{ ${command}\n} < /dev/null\necho; echo '${MARK}'\n`);
    while (!this.#said.includes(`${MARK}\n`)) {
      if (this.#over) throw new Error(`$ ${command}\n${this.#said}`);
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
    const [before = '', ...after] = this.#said.split(`${MARK}\n`);
    this.#said = after.join('');
    return before;
  }

  close(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#over) return;
    try {
      process.kill(-pid, 'SIGTERM');
    } catch (problem) {
      // It has ended, and this process has not heard of it yet.
      if (!(problem instanceof Error && 'code' in problem && problem.code === 'ESRCH')) throw problem;
    }
  }
}
