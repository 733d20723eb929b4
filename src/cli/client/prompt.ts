import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from '#cli/terminal.ts';

interface Seat {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** Reads one line from the terminal. Hidden input is not echoed and not stored. */
export async function promptOn(
  { input, output }: Seat,
  question: string,
  line: 'shown' | 'hidden',
): Promise<string> {
  const nowhere = new Writable({ write: (_bytes, _encoding, done) => done() });
  if (line === 'hidden') output.write(question);
  const lines = createInterface({
    input,
    output: line === 'hidden' ? nowhere : output,
    terminal: true,
    historySize: 0,
  });
  lines.setPrompt(line === 'hidden' ? '' : question);
  lines.prompt();
  // In raw mode the terminal sends Ctrl-C as a character.
  lines.on('SIGINT', () => lines.close());
  try {
    const [given]: unknown[] = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [])]);
    if (typeof given !== 'string') throw new CommandError('no input: stopped');
    return given;
  } finally {
    lines.close();
    if (line === 'hidden') output.write('\n');
  }
}
