import { Misuse, type Terminal } from '#cli/terminal.ts';

/** More than any token or password has. */
const LONGEST = 16 * 1024;

/**
 * What somebody types unseen, or the first line of what is piped in: never an argument, which others on the
 * machine could read.
 */
export async function readSecret(question: string, terminal: Terminal): Promise<string> {
  const given = terminal.ask ? await terminal.ask(question, 'hidden') : await firstLine(terminal.stdin());
  if (given.trim() === '') throw new Misuse('the input is empty: nothing was sent');
  return given;
}

async function firstLine(input: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of input) {
    parts.push(part);
    size += part.length;
    if (part.includes(0x0a)) break;
    if (size > LONGEST) throw new Misuse(`the first line has more than ${LONGEST} bytes`);
  }
  const [line = ''] = Buffer.concat(parts).toString().split('\n');
  return line.replace(/\r$/, '');
}
