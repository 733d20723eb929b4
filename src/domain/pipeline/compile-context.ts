import type { Report } from '#domain/language/diagnostic.ts';
import type { BlockReader } from '#domain/language/evaluate-expression.ts';
import type { Convert, Evaluate, Range, SyntaxTree } from '#domain/language/syntax.ts';

/** A parsed text, with the functions that evaluate its expressions. */
export interface ParsedText extends SyntaxTree {
  evaluate: Evaluate;
  convert: Convert;
  /** Returns the text in a range. */
  spell: (range: Range) => string;
}

export type Parse = (text: string) => ParsedText;

/** The fetched text of a `source`, or the reason why there is none. */
export type ResolvedSource = { text: string; digest: string } | { failure: string };

/** Fetched texts by the `source` as written. */
export type ResolvedSources = Readonly<Record<string, ResolvedSource>>;

/** A text that must be fetched before the pipeline can be compiled. */
export interface NeededSource {
  /** `svc://<name>` that is not built in, `https://…` or `http://…`. */
  source: string;
  range?: Range;
  /** The built-in name that was probably meant, as the end of a message. */
  hint?: string;
}

/** The templates of a `runner_type`. */
export interface RunnerTemplates {
  path: string;
  args: string[];
  /** Names of the attributes in all blocks that call the runner. */
  callers: ReadonlySet<string>;
}

/** `broken`: declared, but an error was reported. */
export type KnownRunner = RunnerTemplates | 'broken';

export type KnownRunners = ReadonlyMap<string, KnownRunner>;

/** What reading a block of any type requires. */
export interface CompileContext {
  reader: BlockReader;
  report: Report;
  parse: Parse;
  sources: ResolvedSources;
  /** Records a source that must be fetched before compiling again. */
  need: (source: NeededSource) => void;
  runners: KnownRunners;
  /** Names of the attributes in all blocks that call a runner, by the name of the runner. */
  callers: ReadonlyMap<string, ReadonlySet<string>>;
  /** The text is a built-in definition. */
  embedded: boolean;
  /** Types of blocks of which at least one could not be read. Any unknown name may belong to such a block. */
  misread: ReadonlySet<string>;
}
