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

/** Keeps a byte order mark, because HCL counts it in byte positions. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** A document with the text that it was parsed from. */
export type ParsedDocument = HclDocument & Pick<ParsedText, 'spell'>;

/**
 * Parses a text and explains `${…}` and `%{…}` in it that another language, such as a shell, should read. If
 * such templates cause errors, it parses the text again without them, so that the remaining problems have
 * other causes.
 */
export function parseText(engine: HclEngine, source: string | Uint8Array, time?: string): ParsedDocument {
  const normalized = withLineFeeds(source);
  let bytes: Uint8Array | undefined;
  const spell = ({ start, end }: Range): string => {
    bytes ??= typeof normalized === 'string' ? encoder.encode(normalized) : normalized;
    return decoder.decode(bytes.subarray(start.byte, end.byte));
  };
  return { ...parse(engine, normalized, time), spell };
}

function parse(engine: HclEngine, source: string | Uint8Array, time: string | undefined): HclDocument {
  const document = engine.parse(source, LIMITS.depth, time);
  if (!document.body && !mayBeMistaken(document)) return document;
  const text = typeof source === 'string' ? source : decoder.decode(source);
  if (!isBroken(document) && !mayHoldNumbers(text)) return document;
  const foreign = findForeignTemplates(text);
  const finalDocument =
    foreign.length === 0 ? document : withoutForeign(engine, { text, foreign, document }, time);
  return isBroken(finalDocument)
    ? { ...finalDocument, problems: withTexts(finalDocument.problems, text) }
    : finalDocument;
}

const isBroken = ({ problems }: HclDocument): boolean =>
  problems.some(({ severity }) => severity === 'error');

/**
 * If a comment hides the end of a template, the template is never closed, so the text looks too deep or too
 * long.
 */
const mayBeMistaken = ({ problems: [first] }: HclDocument): boolean =>
  first?.code === 'too-deep' || first?.code === 'too-many-lines';

/** HCL reports only the first error of a template, so each round can find one more wrong template. */
const MAX_ROUNDS = 4;

interface ForeignText {
  text: string;
  foreign: ForeignTemplate[];
  document: HclDocument;
}

function withoutForeign(
  engine: HclEngine,
  { text, foreign, document }: ForeignText,
  time: string | undefined,
): HclDocument {
  let currentDocument = document;
  let wrongTemplates: ForeignTemplate[] = [];
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const judged = judgeForeignTemplates(foreign, currentDocument.problems, wrongTemplates);
    if (judged.length === wrongTemplates.length) break;
    wrongTemplates = judged;
    // With so many templates, the other problems are not reported until the user has corrected these
    // templates.
    if (foreign.length >= MAX_FOREIGN_TEMPLATES)
      return { ...currentDocument, problems: wrongTemplates.map(explainForeignTemplate) };
    currentDocument.release();
    currentDocument = engine.parse(withoutTemplates(text, wrongTemplates), LIMITS.depth, time);
  }
  const numbers = foreign.filter(({ kind }) => kind === 'number');
  const explained = [...wrongTemplates, ...numbers].map(explainForeignTemplate);
  // A document without a body has one problem: why the guard refused the text. Wrong templates that caused
  // the refusal explain it better.
  const otherProblems = !currentDocument.body && wrongTemplates.length > 0 ? [] : currentDocument.problems;
  return { ...currentDocument, problems: [...otherProblems, ...explained] };
}

const MAX_TEXT_BYTES = 80;

/** Adds to each problem the beginning of the text at its position. */
function withTexts(problems: readonly HclProblem[], text: string): HclProblem[] {
  const bytes = encoder.encode(text);
  return problems.map((problem) => {
    const firstByte = problem.subject?.start.byte;
    if (firstByte === undefined) return problem;
    return { ...problem, text: decoder.decode(bytes.subarray(firstByte, firstByte + MAX_TEXT_BYTES)) };
  });
}
