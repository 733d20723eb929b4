import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkout } from '#tools/checkout.ts';

export const outputFolder = join(checkout, 'dist');

/** Hash of a part's inputs, and when the last of them changed (milliseconds). */
export type State = { readonly hash: string; readonly newest: number };

/** One hash of the names and contents of files below a folder, and of other values. */
export async function inputState(
  folder: string,
  patterns: readonly string[],
  others: readonly string[] = [],
): Promise<State> {
  let newest = 0;
  const hash = createHash('sha256').update(JSON.stringify(others));
  const paths = globSync([...patterns], { cwd: folder, withFileTypes: true });
  const files = paths.filter((path) => path.isFile()).map((path) => join(path.parentPath, path.name));
  for (const file of files.toSorted()) {
    newest = Math.max(newest, (await stat(file)).mtimeMs);
    hash.update(`\0${file.slice(folder.length)}\0`).update(await readFile(file));
  }
  return { hash: hash.digest('hex'), newest };
}

/** Records what each part was last built from. The record is in dist, so it disappears with dist. */
export class Ledger {
  readonly #file = join(outputFolder, '.inputs.json');
  readonly #known: Map<string, string>;

  private constructor(known: Map<string, string>) {
    this.#known = known;
  }

  static async read(): Promise<Ledger> {
    const text = await readFile(join(outputFolder, '.inputs.json'), 'utf8').catch(() => '{}');
    const known: unknown = JSON.parse(text);
    const entries = Object.entries(known ?? {}).filter(([, hash]) => typeof hash === 'string');
    return new Ledger(new Map(entries));
  }

  has(part: string, hash: string): boolean {
    return this.#known.get(part) === hash;
  }

  /** The paths that were recorded under this name. */
  list(name: string): readonly string[] {
    return (this.#known.get(name) ?? '').split(' ').filter((path) => path !== '');
  }

  /** `value`: the hash of a part's inputs, or paths with spaces between them. */
  async record(name: string, value: string): Promise<void> {
    this.#known.set(name, value);
    await mkdir(dirname(this.#file), { recursive: true });
    await writeFile(this.#file, `${JSON.stringify(Object.fromEntries(this.#known), undefined, 2)}\n`);
  }
}
