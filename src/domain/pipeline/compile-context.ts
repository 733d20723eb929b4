import type { Report } from '#domain/language/diagnostic.ts';
import type { Reader } from '#domain/language/evaluate-expression.ts';
import type { Convert, Evaluate, Range, SyntaxTree } from '#domain/language/syntax.ts';

/** A parsed text with what its expressions are evaluated by. */
export interface ParsedText extends SyntaxTree {
  evaluate: Evaluate;
  convert: Convert;
  /** What the text has at a place. */
  spell: (range: Range) => string;
}

export type Parse = (text: string) => ParsedText;

/** What was found under a `source`, or in a sentence why nothing was. */
export type ResolvedSource = { text: string; digest: string } | { failure: string };

/** By the source as it is written. */
export type ResolvedSources = Readonly<Record<string, ResolvedSource>>;

/** A text that must be fetched before the pipeline can be read whole. */
export interface NeededSource {
  /** `svc://<name>` that is not built in, `https://…` or `http://…`. */
  source: string;
  range?: Range;
}

/** How a `runner_type` runs a command; `broken`: declared, but wrong, and reported. */
export type KnownRunner = { path: string; args: string[] } | 'broken';

export type KnownRunners = ReadonlyMap<string, KnownRunner>;

/** What the readers of blocks share. */
export interface Surroundings {
  reader: Reader;
  report: Report;
  parse: Parse;
  sources: ResolvedSources;
  need: (source: NeededSource) => void;
  runners: KnownRunners;
  /** The text that is read came with Millrace. */
  embedded: boolean;
  /** Kinds of blocks of which some could not be read: those may have any name. */
  misread: ReadonlySet<string>;
}
