import { spawn } from 'node:child_process';
import { binaryPath, foldersFrom } from '#tools/cluster/folders.ts';

/** Runs the real kubectl; returns all its output, whether it succeeds or not. */
export async function runKubectl(kubeconfig: string, args: readonly string[], input = ''): Promise<string> {
  const program = binaryPath(foldersFrom(process.env), 'kubectl');
  const child = spawn(program, ['--kubeconfig', kubeconfig, ...args]);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  child.stdin.end(input);
  await ended;
  return text.trim();
}
