import {
  explainForeignTemplate,
  findForeignTemplates,
  judgeForeignTemplates,
  MAX_FOREIGN_TEMPLATES,
  mayHoldNumbers,
  withoutTemplates,
  type ForeignTemplate,
} from '#domain/language/foreign-templates.ts';
import type { HclProblem, Range } from '#domain/language/syntax.ts';
import type { ParsedText } from '#domain/pipeline/compile-context.ts';
import { LIMITS } from '#domain/pipeline/limits.ts';
import type { HclDocument, HclEngine } from './engine.ts';
import { withLineFeeds } from './line-ends.ts';

/** Preserves a byte order mark, which counts in HCL's positions. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** A document with the text that it was parsed from. */
export type ParsedDocument = HclDocument & Pick<ParsedText, 'spell'>;

/**
 * Parses a text and explains templates that are none of HCL's. Where there are such errors, the document is
 * that of the text without these templates: its other problems are those that really are there.
 */
export function parseText(engine: HclEngine, source: string | Uint8Array, time?: string): ParsedDocument {
  const given = withLineFeeds(source);
  let bytes: Uint8Array | undefined;
  const spell = ({ start, end }: Range): string => {
    bytes ??= typeof given === 'string' ? encoder.encode(given) : given;
    return decoder.decode(bytes.subarray(start.byte, end.byte));
  };
  return { ...parse(engine, given, time), spell };
}

function parse(engine: HclEngine, given: string | Uint8Array, time: string | undefined): HclDocument {
  const document = engine.parse(given, LIMITS.depth, time);
  if (!document.body && !mayBeMistaken(document)) return document;
  const text = typeof given === 'string' ? given : decoder.decode(given);
  if (!isBroken(document) && !mayHoldNumbers(text)) return document;
  const foreign = findForeignTemplates(text);
  const read = foreign.length === 0 ? document : withoutForeign(engine, { text, foreign, document }, time);
  return isBroken(read) ? { ...read, problems: withTexts(read.problems, text) } : read;
}

const isBroken = ({ problems }: HclDocument): boolean =>
  problems.some(({ severity }) => severity === 'error');

/** A template whose end is hidden by a comment is never closed, so the text looks nested. */
const mayBeMistaken = ({ problems: [first] }: HclDocument): boolean =>
  first?.code === 'too-deep' || first?.code === 'too-many-lines';

/** HCL reports only the first error of a template, so each round can find one more. */
const MAX_ROUNDS = 4;

interface Found {
  text: string;
  foreign: ForeignTemplate[];
  document: HclDocument;
}

function withoutForeign(
  engine: HclEngine,
  { text, foreign, document }: Found,
  time: string | undefined,
): HclDocument {
  let read = document;
  let wrong: ForeignTemplate[] = [];
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const known = judgeForeignTemplates(foreign, read.problems, wrong);
    if (known.length === wrong.length) break;
    wrong = known;
    // Too many to judge the rest of the text, which is checked once these are corrected.
    if (foreign.length >= MAX_FOREIGN_TEMPLATES)
      return { ...read, problems: wrong.map(explainForeignTemplate) };
    read.release();
    read = engine.parse(withoutTemplates(text, wrong), LIMITS.depth, time);
  }
  const numbers = foreign.filter(({ kind }) => kind === 'number');
  const explained = [...wrong, ...numbers].map(explainForeignTemplate);
  // Without a body, a guard has refused the rest.
  const others = !read.body && wrong.length > 0 ? [] : read.problems;
  return { ...read, problems: [...others, ...explained] };
}

const MAX_TEXT_BYTES = 80;

/** Adds to each problem the beginning of its text. */
function withTexts(problems: readonly HclProblem[], text: string): HclProblem[] {
  const bytes = encoder.encode(text);
  return problems.map((problem) => {
    const from = problem.subject?.start.byte;
    if (from === undefined) return problem;
    return { ...problem, text: decoder.decode(bytes.subarray(from, from + MAX_TEXT_BYTES)) };
  });
}
