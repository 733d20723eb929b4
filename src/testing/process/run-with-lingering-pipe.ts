import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

/**
 * Pipes that a program can inherit from the child and keep open after the child's death. The value is the
 * file descriptor.
 */
const LINGERING_PIPES = { 'standard error': 2, 'the message channel': 3 } as const;

export type LingeringPipe = keyof typeof LINGERING_PIPES;

/**
 * Runs `script` in a separate process, where `fork` starts a child that answers every message. The child
 * starts a program that keeps a pipe open for half a second. If the child dies in this time, its parent sees
 * SIGCHLD before the end of the pipe. Without the program, that order is rare.
 */
export async function runWithLingeringPipe(
  pipe: LingeringPipe,
  script: string,
): Promise<{ code: unknown; output: string }> {
  const stdio = ['ignore', 'ignore', 'ignore', 'ignore'].with(LINGERING_PIPES[pipe], 'inherit');
  const child = `
    require('node:child_process').spawn('/bin/sleep', ['0.5'], { stdio: ${JSON.stringify(stdio)} });
    process.on('message', () => process.send({ kind: 'failed', failure: {} }));`;
  const setUp = `
    import childProcess from 'node:child_process';
    import { syncBuiltinESMExports } from 'node:module';
    const { spawn } = childProcess;
    childProcess.fork = (program, args, { env, serialization, stdio }) =>
      spawn(process.execPath, ['--eval', ${JSON.stringify(child)}], { env, serialization, stdio });
    syncBuiltinESMExports();`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', setUp + script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  parent.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code]: unknown[] = await once(parent, 'close');
  return { code, output };
}
