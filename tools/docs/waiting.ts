import { format } from 'prettier';
import { REASONS, ROUTINE_REASONS } from '#domain/scheduling/reasons.ts';

export const WAITING_PAGE = 'docs/reference/waiting.md';

const INTRODUCTION = `# Why something waits

Every job without a build, every build that has not started and every refused request has at least
one reason.
A reason is one of these codes, with a sentence that names what it is about.
The codes are stable.

\`node tools/docs/main.ts\` generates this page from the program's own table.

You find reasons in these places:

- \`GET …/pipelines/{pipeline}/waiting\` and \`…/jobs/{job}/waiting\` list all reasons that hold at this
  moment ([API](api.md)).
- \`kubectl describe pipeline\` shows the first reason of each job and build, and an Event when that
  reason changes.
  It leaves out reasons that pass by themselves (${[...ROUTINE_REASONS].map((code) => `\`${code}\``).join(', ')}).
- The operator's metric \`millrace_waiting{what="job"|"build", reason="…"}\` counts what waits, by
  first reason.
`;

/** The reference of reasons, from the scheduler's table. */
export function waitingPage(): Promise<string> {
  const rows = Object.entries(REASONS).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  const table = ['| Code | What it means |', '| --- | --- |', ...rows].join('\n');
  return format(`${INTRODUCTION}\n${table}\n`, { parser: 'markdown', singleQuote: true, printWidth: 110 });
}
