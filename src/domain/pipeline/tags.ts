import { namesAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { LIMITS } from './limits.ts';

const slug = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Tags of workers, or names of serial groups: at most ten words of lower-case letters, digits and hyphens,
 * each once.
 */
export function readTags(block: ReadBlock, attribute: string, report: Report): string[] {
  const tags = namesAt(block, attribute);
  const [extra] = tags.slice(LIMITS.tags);
  if (extra) {
    const message = `${attribute} has ${tags.length} elements; at most ${LIMITS.tags} are allowed`;
    report(diagnose('invalid-tag', extra.range, message, 'Remove some.'));
  }
  for (const { text, range } of tags) {
    if (!slug.test(text))
      report(diagnose('invalid-tag', range, `${JSON.stringify(text)} is not allowed in ${attribute}`));
  }
  return [...new Set(tags.map(({ text }) => text))];
}
