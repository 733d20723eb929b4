import { spawn } from 'node:child_process';

/**
 * Runs a command at a terminal of its own, where the program asks questions; each answer is typed once its
 * question is there.
 */
export async function typeInto(
  command: string,
  answers: readonly (readonly [question: string, answer: string])[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  // `script` of util-linux gives the terminal; its file is of no use here.
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { env });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const open = [...answers];
  let said = '';
  let read = 0;
  const hear = (text: string): void => {
    said += text;
    const [question = '', answer = ''] = open[0] ?? [];
    const at = said.indexOf(question, read);
    if (open.length === 0 || at < 0) return;
    read = at + question.length;
    open.shift();
    child.stdin.write(`${answer}\n`);
  };
  child.stdout.setEncoding('utf8').on('data', hear);
  child.stderr.setEncoding('utf8').on('data', hear);
  child.on('error', reject);
  child.on('close', (code) => {
    if (code === 0) resolve(said);
    else reject(new Error(`$ ${command}\n${said}`));
  });
  return await promise;
}
