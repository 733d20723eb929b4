import { spawn } from 'node:child_process';
import { defined } from '#defined';

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end; a non-zero exit code does not throw. */
export const runProgram = (
  program: string,
  args: string[],
  options: { input?: string; env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...options.env },
      ...defined({ cwd: options.cwd }),
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
    // A program that ends without reading all input reports the reason by its exit code.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });

/** Runs a program that must succeed; returns its stdout. */
export const runOrThrow = async (...call: Parameters<typeof runProgram>): Promise<string> => {
  const finished = await runProgram(...call);
  if (finished.code !== 0)
    throw new Error(
      `${call[0]} ${call[1].join(' ')} exited with ${finished.code}\n${finished.stdout}${finished.stderr}`,
    );
  return finished.stdout;
};
