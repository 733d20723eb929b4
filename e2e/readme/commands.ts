import { readFileSync } from 'node:fs';
import { fences, withoutFences } from '#tools/docs/markdown.ts';

/** The commands that the README tells you to type, in order: whole blocks, and commands within a sentence. */
export function readmeCommands(): string[] {
  const text = readFileSync('README.md', 'utf8');
  const fromHeading = text.slice(text.indexOf('## Your own repository on your own cluster'));
  const section = fromHeading.slice(0, fromHeading.indexOf('\n## ', 1));
  const blocks = fences(section)
    .filter(({ word }) => word === 'sh')
    .map((block) => block.text.replaceAll(/^ {3}/gm, ''));
  // The only command of the first half that is for an existing cluster.
  const forExistingCluster = commandSpans(text.slice(0, text.indexOf(section))).filter((span) =>
    span.includes('existing'),
  );
  return [...blocks, ...commandSpans(section), ...forExistingCluster];
}

const PROGRAM = /^(?:[A-Z]+=\S+ )*(?:make|kubectl|curl|helm|kind|for|node|millrace)\s/;

function commandSpans(text: string): string[] {
  const withoutBlocks = withoutFences(text);
  return [...withoutBlocks.matchAll(/`([^`\n]+)`/g)]
    .map(([, span]) => span ?? '')
    .filter((span) => PROGRAM.test(span));
}
