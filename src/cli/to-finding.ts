import { defined } from '#defined';
import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { Finding } from './finding.ts';
import type { PipelineText } from './read-manifests.ts';

/** Converts a diagnostic of a text to a finding in its file, including the line that the message names. */
export function toFinding(
  diagnostic: Diagnostic,
  { file, text }: Pick<PipelineText, 'file' | 'text'>,
): Finding {
  const { severity, code, range, blocks, help } = diagnostic;
  const place = range && { place: text.placeOf(range) };
  return {
    severity,
    code,
    message: messageIn(text, diagnostic),
    help,
    file,
    ...place,
    ...defined({ blocks }),
  };
}

function messageIn({ lineOf }: PipelineText['text'], { message, range, otherLine }: Diagnostic): string {
  if (!lineOf) {
    const start = range?.start;
    return start ? `${message} (line ${start.line}, column ${start.column} of the text)` : message;
  }
  if (otherLine === undefined) return message;
  // Names before the phrase may contain the same words, so the last one counts.
  const phrase = `in line ${otherLine}`;
  const at = message.lastIndexOf(phrase);
  return at < 0
    ? message
    : `${message.slice(0, at)}in line ${lineOf(otherLine)}${message.slice(at + phrase.length)}`;
}
