import { fork, type ChildProcess, type ForkOptions } from 'node:child_process';
import { isSea } from 'node:sea';

/**
 * Starts a program of Millrace in a child process, with the flags of Node in `execArgv`. A single executable
 * (`make cli`) reads such flags only from NODE_OPTIONS.
 */
export function forkProgram(
  program: string,
  args: readonly string[],
  options: ForkOptions & { execArgv: string[] },
  isExecutable: boolean = isSea(),
): ChildProcess {
  if (!isExecutable) return fork(program, args, options);
  const NODE_OPTIONS = options.execArgv.map(quoteNodeOption).join(' ');
  return fork(program, args, { ...options, execArgv: [], env: { ...options.env, NODE_OPTIONS } });
}

/** Node splits NODE_OPTIONS at spaces outside quotes. Within quotes, a backslash escapes. */
export const quoteNodeOption = (flag: string): string => `"${flag.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
