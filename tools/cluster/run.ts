import { execFile } from 'node:child_process';
import { defined } from '#defined';
import { Explained } from './explain.ts';

export type RunOptions = {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly timeoutSeconds?: number;
  /** Ends the command with SIGTERM. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Runs a command and returns its standard output. If it fails, throws with the command and the end of its
 * standard error, or of its standard output if it printed no error.
 */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      [...args],
      {
        cwd: options.cwd,
        env: options.env ?? process.env,
        maxBuffer: 64 * 1024 * 1024,
        timeout: (options.timeoutSeconds ?? 0) * 1000,
        ...defined({ signal: options.signal }),
      },
      (error, stdout, stderr) => {
        if (error === null) {
          resolve(stdout);
          return;
        }
        const output = stderr.trim() || stdout.trim() || error.message;
        reject(new Explained(`\`${[command, ...args].join(' ')}\` failed: ${lastLines(output, 12)}`));
      },
    );
    child.stdin?.on('error', () => {
      // The command exited without reading its input; its exit code counts.
    });
    child.stdin?.end(options.input ?? '');
  });
}

/** Like `run`, but returns undefined if the command fails. */
export async function tryRun(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return await run(command, args);
  } catch {
    return undefined;
  }
}

/** The last lines of a text. */
export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
