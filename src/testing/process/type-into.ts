import { spawn } from 'node:child_process';

type Answers = readonly (readonly [question: string, answer: string])[];

/** A terminal that prints nothing for this long after a question waits for an answer. */
const QUIET_MS = 1000;
/** A program that prints nothing for this long hangs. */
const SILENT_MS = 120_000;
const QUESTION = /[:?] *$/;

/**
 * Runs a command at a separate terminal and types each answer after its question. Returns what the terminal
 * showed. Throws with the screen after an unexpected question or a long silence, which also end the command,
 * and after an exit code other than 0.
 */
export async function typeInto(
  command: string,
  answers: Answers,
  env: NodeJS.ProcessEnv,
  quietMs = QUIET_MS,
): Promise<string> {
  // `script` of util-linux provides the terminal; its log file is not needed.
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { env });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const remaining = [...answers];
  let screen = '';
  /** The end of the last answered question in `screen`. */
  let answeredUpTo = 0;
  let quietTimer: NodeJS.Timeout | undefined;
  let silenceTimer: NodeJS.Timeout | undefined;

  const fail = (reason: string): void => {
    reject(new Error(`$ ${command}\n${reason} The screen:\n${screen}`));
    child.kill();
  };
  const judgeLastLine = (): void => {
    const last = screen.slice(Math.max(answeredUpTo, screen.lastIndexOf('\n') + 1));
    if (!QUESTION.test(last)) return;
    const next = remaining[0]?.[0];
    fail(
      `It asks ${JSON.stringify(last)} where ${next === undefined ? 'no question' : JSON.stringify(next)} is expected.`,
    );
  };
  const show = (text: string): void => {
    screen += text;
    clearTimeout(quietTimer);
    clearTimeout(silenceTimer);
    quietTimer = setTimeout(judgeLastLine, quietMs);
    silenceTimer = setTimeout(() => fail(`It printed nothing for ${SILENT_MS / 1000} s.`), SILENT_MS);
    const [question, answer = ''] = remaining[0] ?? [];
    const at = question === undefined ? -1 : screen.indexOf(question, answeredUpTo);
    if (question === undefined || at < 0) return;
    answeredUpTo = at + question.length;
    remaining.shift();
    child.stdin.write(`${answer}\n`);
  };
  show('');
  child.stdout.setEncoding('utf8').on('data', show);
  child.stderr.setEncoding('utf8').on('data', show);
  child.on('error', reject);
  child.on('close', (code) => {
    clearTimeout(quietTimer);
    clearTimeout(silenceTimer);
    if (code === 0) resolve(screen);
    else reject(new Error(`$ ${command}\nIt ended with ${code ?? 'a signal'}. The screen:\n${screen}`));
  });
  return await promise;
}
