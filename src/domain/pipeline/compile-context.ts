import type { Report } from '#domain/language/diagnostic.ts';
import type { BlockReader } from '#domain/language/evaluate-expression.ts';
import type { Convert, Evaluate, Range, SyntaxTree } from '#domain/language/syntax.ts';

/** A parsed text, with the functions that evaluate its expressions. */
export interface ParsedText extends SyntaxTree {
  evaluate: Evaluate;
  convert: Convert;
  /** The text at a place. */
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
}

/** The templates of a `runner_type`. */
export interface RunnerTemplates {
  path: string;
  args: string[];
  /** Attributes of any block that calls it. */
  callers: ReadonlySet<string>;
}

/** `broken`: declared, but an error was reported. */
export type KnownRunner = RunnerTemplates | 'broken';

export type KnownRunners = ReadonlyMap<string, KnownRunner>;

/** What reading any block requires. */
export interface CompileContext {
  reader: BlockReader;
  report: Report;
  parse: Parse;
  sources: ResolvedSources;
  need: (source: NeededSource) => void;
  runners: KnownRunners;
  /** Attributes of the blocks that call a runner, by its name. */
  callers: ReadonlyMap<string, ReadonlySet<string>>;
  /** The text is a built-in definition. */
  embedded: boolean;
  /** Block types of which some could not be read: those can have any name. */
  misread: ReadonlySet<string>;
}
