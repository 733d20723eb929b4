import { format } from 'prettier';
import { ORDINARY, REASONS } from '#domain/scheduling/reasons.ts';

export const WAITING_PAGE = 'docs/reference/waiting.md';

const INTRODUCTION = `# Why something waits

Every job without a build, every build that has not started and every request that is refused has at least one reason: one of these codes, and a
sentence that names what it is about. The codes are stable. This page is made from the program's own table by \`node tools/docs/main.ts\`.

Where they are told:

- \`GET …/pipelines/{pipeline}/waiting\` and \`…/jobs/{job}/waiting\`: all reasons, as a decision would give them at this moment ([API](api.md)).
- \`kubectl describe pipeline\`: the first reason of each job and build, but for what passes by itself (${[...ORDINARY].map((code) => `\`${code}\``).join(', ')}), and
  an Event when it becomes another one.
- The metric \`millrace_waiting{what="job"|"build", reason="…"}\` of the operator: how many wait, by first reason.
`;

/** The page of all reasons, from the table that the scheduler uses. */
export function waitingPage(): Promise<string> {
  const rows = Object.entries(REASONS).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  const table = ['| Code | What it means |', '| --- | --- |', ...rows].join('\n');
  return format(`${INTRODUCTION}\n${table}\n`, { parser: 'markdown', singleQuote: true, printWidth: 110 });
}
