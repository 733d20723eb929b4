import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from '#cli/terminal.ts';

interface PromptStreams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** Reads one line from the terminal. Hidden input is not echoed and not stored. */
export async function promptOn(
  { input, output }: PromptStreams,
  question: string,
  visibility: 'shown' | 'hidden',
): Promise<string> {
  const discarded = new Writable({ write: (_bytes, _encoding, done) => done() });
  if (visibility === 'hidden') output.write(question);
  const lines = createInterface({
    input,
    output: visibility === 'hidden' ? discarded : output,
    terminal: true,
    historySize: 0,
  });
  lines.setPrompt(visibility === 'hidden' ? '' : question);
  lines.prompt();
  // In raw mode the terminal sends Ctrl-C as a character.
  lines.on('SIGINT', () => lines.close());
  try {
    const [answer]: unknown[] = await Promise.race([
      once(lines, 'line'),
      once(lines, 'close').then(() => []),
    ]);
    if (typeof answer !== 'string') throw new CommandError('no input: stopped');
    return answer;
  } finally {
    lines.close();
    if (visibility === 'hidden') output.write('\n');
  }
}
