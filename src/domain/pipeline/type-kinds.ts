import type { Report } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Surroundings } from './compile-context.ts';
import type { Command, Origin } from './pipeline.ts';

/** What all types have. */
export interface Named {
  name: string;
  builtIn: boolean;
  origin?: Origin;
}

/** A definition, under whatever name. */
export type Found<Definition> = Definition & Omit<Named, 'name'>;

/** One of the five kinds of types, and how its definitions are read. */
export interface Kind<Definition> {
  block: string;
  /** In a sentence. */
  what: string;
  /** Attributes and blocks that a definition has of its own, and that a `source` brings. */
  own: readonly string[];
  /** Texts by name, aliases among them. */
  builtIn: ReadonlyMap<string, string>;
  /** Why `svc://<name>` cannot be a source of this kind, in a sentence. */
  refused?: ReadonlyMap<string, string>;
  read: (block: ReadBlock, around: Surroundings) => Definition | undefined;
  /** Its commands by the name of their blocks. */
  commands: (definition: Definition) => [block: string, command: Command][];
  withCommands: (definition: Definition, change: (command: Command) => Command) => Definition;
  /** What a block with a `source` adds to what the source brings. */
  configure?: (definition: Definition, block: ReadBlock, report: Report) => Definition;
}

export interface KnownTypes<Definition> {
  /** `broken`: declared, but wrong, and reported. */
  find: (name: string) => (Definition & Named) | 'broken' | undefined;
  names: string[];
}
