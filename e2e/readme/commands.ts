import { readFileSync } from 'node:fs';
import { fences, withoutFences } from '#tools/docs/markdown.ts';

/**
 * The commands that the README has for the reader's own cluster. First the code blocks of the section about
 * such a cluster, then the commands in its sentences. Last the commands in sentences before that section that
 * contain the word `existing`.
 */
export function readmeCommands(): string[] {
  const text = readFileSync('README.md', 'utf8');
  const fromHeading = text.slice(text.indexOf('## Your own repository on your own cluster'));
  const section = fromHeading.slice(0, fromHeading.indexOf('\n## ', 1));
  const blocks = fences(section)
    .filter(({ word }) => word === 'sh')
    .map((block) => block.text.replaceAll(/^ {3}/gm, ''));
  // The other commands in the text before the section are for the embedded cluster.
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
