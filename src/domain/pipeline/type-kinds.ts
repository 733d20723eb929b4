import type { Report } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Command } from './command.ts';
import type { CompileContext } from './compile-context.ts';
import type { Origin } from './pipeline.ts';

/** Fields of all types. */
export interface NamedType {
  name: string;
  builtIn: boolean;
  origin?: Origin;
}

/** A definition before it gets its name. */
export type FoundDefinition<Definition> = Definition & Omit<NamedType, 'name'>;

/** One of the five kinds of types, and how to read its definitions. */
export interface TypeKind<Definition> {
  /** Type of the block that defines such a type: `resource_type`. */
  block: string;
  /** The kind in a sentence: `resource type`. */
  noun: string;
  /** Names of the attributes and blocks that define such a type. A block with a `source` cannot have them. */
  ownItems: readonly string[];
  /** Built-in definitions by name, including aliases. */
  builtIn: ReadonlyMap<string, string>;
  /** Reason why `svc://<name>` cannot be a source of this kind. */
  refused?: ReadonlyMap<string, string>;
  read: (block: ReadBlock, context: CompileContext) => Definition | undefined;
  /** Commands by the name of their blocks. */
  commands: (definition: Definition) => [block: string, command: Command][];
  /** Returns the definition with each command replaced by what `change` returns. */
  withCommands: (definition: Definition, change: (command: Command) => Command) => Definition;
  /** Merges a block with a `source` into the definition from the source. */
  configure?: (definition: Definition, block: ReadBlock, report: Report) => Definition;
  /** Checks the configuration that a block gives to its type. */
  checkConfiguration?: (type: Definition & NamedType, block: ReadBlock, report: Report) => void;
}

export interface KnownTypes<Definition> {
  /** `broken`: declared, but an error was reported. */
  find: (name: string) => (Definition & NamedType) | 'broken' | undefined;
  names: string[];
  /** Names that the pipeline declares itself. */
  declared: ReadonlySet<string>;
}
