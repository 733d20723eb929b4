import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A folder with rules of its own, in the domain, the flows or an adapter. */
export interface Folder {
  name: string;
  /** Folders beside it that it may import. Default: all folders before it in the list. */
  sees?: string[];
  /** Values of the domain that it may import, if its adapter imports types only. */
  domain?: string[];
  /** Values of flows that it may import, if its adapter imports types only. */
  flows?: string[];
  /** The only packages that it may import. It then imports no flow and no adapter. */
  packages?: string[];
}

/** An adapter. */
export interface AdapterRules {
  name: string;
  /** Imports types of domain and flows, but no values except those that its folders list. */
  typesOnly?: boolean;
  folders?: Folder[];
}

export interface Override {
  files: string[];
  rules: Record<string, unknown>;
}

export interface Table {
  base: Record<string, unknown>;
  domain: { shared: string[]; folders: Folder[] };
  flows: { folders: Folder[] };
  adapters: { shared: string[]; rooms: AdapterRules[] };
  overrides: Override[];
}

export function readTable(): Table {
  const table: Table = parse(readFileSync(new URL('../../config/lint.yaml', import.meta.url), 'utf8'));
  return table;
}

/** Names of the folders that each folder may import, besides itself. */
export function seenBy(folders: readonly Folder[]): Map<string, string[]> {
  return new Map(
    folders.map(({ name, sees }, index) => [
      name,
      sees ?? folders.slice(0, index).map((before) => before.name),
    ]),
  );
}

/** All files below a folder. If the list has a folder inside it, then only the files directly in it. */
export function filesOf(room: string, { name }: Folder, folders: readonly Folder[]): string {
  const hasInner = folders.some((other) => other.name.startsWith(`${name}/`));
  return `src/${room}/${name}/${hasInner ? '' : '**/'}*.ts`;
}
