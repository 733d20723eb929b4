import { readFileSync } from 'node:fs';
import { format, type FormatOptions } from 'oxfmt';

const options: FormatOptions = JSON.parse(readFileSync(new URL('../.oxfmtrc.json', import.meta.url), 'utf8'));

/** The text of a generated file in the format that `make check` asks for; the path gives the language. */
export async function formatText(path: string, text: string): Promise<string> {
  const { code, errors } = await format(path, text, options);
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}
