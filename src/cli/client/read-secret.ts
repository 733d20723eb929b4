import { CommandError, type Terminal } from '#cli/terminal.ts';

/** Longer than any token or password. */
const MAX_SECRET_BYTES = 16 * 1024;

/**
 * Reads a secret from a prompt without echo, or from the first line of standard input. Commands take no
 * secret as an argument, because other users of the machine can read arguments.
 */
export async function readSecret(question: string, terminal: Terminal): Promise<string> {
  const secret = terminal.ask ? await terminal.ask(question, 'hidden') : await firstLine(terminal.stdin());
  if (secret.trim() === '')
    throw new CommandError('the input is empty: nothing was sent. Type or pipe in the token or password');
  return secret;
}

async function firstLine(input: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    size += chunk.length;
    if (chunk.includes(0x0a)) break;
    if (size > MAX_SECRET_BYTES)
      throw new CommandError(
        `the first line has more than ${MAX_SECRET_BYTES} bytes: pipe in only the token or password`,
      );
  }
  const [line = ''] = Buffer.concat(chunks).toString().split('\n');
  return line.replace(/\r$/, '');
}
