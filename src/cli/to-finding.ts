import { defined } from '#defined';
import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { Finding } from './finding.ts';
import type { PipelineText } from './read-manifests.ts';

/**
 * What is wrong with a text, where it stands in its file; lines that the message names are the file's too.
 */
export function toFinding(
  diagnostic: Diagnostic,
  { file, text }: Pick<PipelineText, 'file' | 'text'>,
): Finding {
  const { severity, code, range, blocks, otherRanges, help } = diagnostic;
  const place = range && { place: text.placeOf(range) };
  const others = otherRanges && { otherPlaces: otherRanges.map(text.placeOf) };
  return {
    severity,
    code,
    message: messageIn(text, diagnostic),
    help,
    file,
    ...place,
    ...defined({ blocks }),
    ...others,
  };
}

function messageIn({ lineOf }: PipelineText['text'], { message, range, otherLine }: Diagnostic): string {
  if (!lineOf) {
    const start = range?.start;
    return start ? `${message} (line ${start.line}, column ${start.column} of the text)` : message;
  }
  if (otherLine === undefined) return message;
  // Before it the message may hold names, which may hold anything.
  const phrase = `in line ${otherLine}`;
  const at = message.lastIndexOf(phrase);
  return at < 0
    ? message
    : `${message.slice(0, at)}in line ${lineOf(otherLine)}${message.slice(at + phrase.length)}`;
}
