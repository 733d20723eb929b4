import { execFile, type ExecFileException } from 'node:child_process';
import { env } from 'node:process';

export interface ScriptEnd {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a script as a step does: `/bin/sh -e` in a directory, with only PATH, HOME, WORKDIR and the given
 * variables in its environment. HOME and WORKDIR are the directory.
 */
export function runScript(
  script: string,
  cwd: string,
  variables: Readonly<Record<string, string>>,
): Promise<ScriptEnd> {
  return new Promise((resolve) => {
    const options = { cwd, env: { PATH: env['PATH'], HOME: cwd, WORKDIR: cwd, ...variables } };
    execFile('/bin/sh', ['-ec', script], options, (error, stdout, stderr) => {
      resolve({ code: exitCodeOf(error), stdout, stderr });
    });
  });
}

/** The exit code; 1 if the shell did not start or was killed. */
function exitCodeOf(error: ExecFileException | null): number {
  if (error === null) return 0;
  return typeof error.code === 'number' ? error.code : 1;
}
