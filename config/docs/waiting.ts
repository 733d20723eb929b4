import { format } from 'prettier';
import { REASONS } from '#domain/scheduling/reasons.ts';

export const WAITING_PAGE = 'docs/reference/waiting.md';

const INTRODUCTION = `# Why something waits

Every job without a build, every build that has not started and every request that is refused has at least one reason: one of these codes, and a
sentence that names what it is about. The codes are stable. This page is made from the program's own table by \`node config/docs/main.ts\`.
`;

/** The page of all reasons, from the table that the scheduler uses. */
export function waitingPage(): Promise<string> {
  const rows = Object.entries(REASONS).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  const table = ['| Code | What it means |', '| --- | --- |', ...rows].join('\n');
  return format(`${INTRODUCTION}\n${table}\n`, { parser: 'markdown', singleQuote: true, printWidth: 110 });
}
