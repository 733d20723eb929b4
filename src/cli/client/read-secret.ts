import { CommandError, type Terminal } from '#cli/terminal.ts';

/** Longer than any token or password. */
const MAX_SECRET_CHARACTERS = 16 * 1024;

/**
 * Reads a secret from a prompt without echo, or the first line of standard input. Never from an argument,
 * which other users of the machine can read.
 */
export async function readSecret(question: string, terminal: Terminal): Promise<string> {
  const given = terminal.ask ? await terminal.ask(question, 'hidden') : await firstLine(terminal.stdin());
  if (given.trim() === '') throw new CommandError('the input is empty: nothing was sent');
  return given;
}

async function firstLine(input: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of input) {
    parts.push(part);
    size += part.length;
    if (part.includes(0x0a)) break;
    if (size > MAX_SECRET_CHARACTERS)
      throw new CommandError(`the first line has more than ${MAX_SECRET_CHARACTERS} bytes`);
  }
  const [line = ''] = Buffer.concat(parts).toString().split('\n');
  return line.replace(/\r$/, '');
}
