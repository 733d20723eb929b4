import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

/* A program that takes the keys of a real terminal, which `script` of util-linux provides. */
const KEYS = join(import.meta.dirname, 'raw-keys.ts');

/** Takes keys and shows each byte and size. Runs the code `atQ` when the user types `q`. */
const program = (atQ: string): string => `
  import { keysOf } from ${JSON.stringify(KEYS)};
  const keys = keysOf(process.stdin, process.stdout);
  const stop = keys.take({
    keys: (bytes) => {
      process.stdout.write('<' + [...bytes].join(' ') + '>');
      if (bytes.includes(113)) { ${atQ} }
    },
    resized: () => process.stdout.write('<' + Object.values(keys.size()).join('x') + '>'),
  });
  process.stdout.write('ready');`;

/**
 * Runs the program at a terminal. Types the keys of each answer once the screen shows the text of the answer.
 * Returns the screen.
 */
async function run(atQ: string, answers: [shown: string, keys: string][]): Promise<string> {
  const node = `${process.execPath} --input-type=module --eval "$PROGRAM"`;
  const command = `stty cols 80 rows 24; before=$(stty -g); ${node}; echo " code $?"; test "$before" = "$(stty -g)" && echo restored`;
  const child = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', PROGRAM: program(atQ), SHELL: '/bin/sh' },
  });
  let screen = '';
  const remaining = [...answers];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const [shown, keys = ''] = remaining[0] ?? [];
    if (shown === undefined || !screen.includes(shown)) return;
    remaining.shift();
    child.stdin.write(keys);
  });
  await new Promise((resolve) => child.on('close', resolve));
  return screen;
}

describe('the keys of a terminal', () => {
  test('arrive unchanged and without an echo, and the terminal is restored', async () => {
    const screen = await run('stop();', [
      ['ready', '\u0003\u0004\u001b[A'],
      ['<3 4 27 91 65>', 'q'],
    ]);
    expect(screen).toContain('ready<3 4 27 91 65><113> code 0');
    expect(screen).toContain('restored');
  });

  const ends: Record<string, [atQ: string, code: number]> = {
    'the process exits': ['process.exit(7);', 7],
    'the process fails': ['throw new Error("failed");', 1],
    'SIGTERM ends the process': ['process.kill(process.pid, "SIGTERM");', 143],
    'SIGHUP ends the process': ['process.kill(process.pid, "SIGHUP");', 129],
  };
  test.each(Object.entries(ends))('are released when %s', async (_sentence, [atQ, code]) => {
    const screen = await run(atQ, [['ready', 'q']]);
    expect(screen).toContain(` code ${code}`);
    expect(screen).toContain('restored');
  });

  test('come with the size of the terminal', async () => {
    const screen = await run('process.stdout.write(Object.values(keys.size()).join("x")); stop();', [
      ['ready', 'q'],
    ]);
    expect(screen).toContain('80x24');
  });
});
