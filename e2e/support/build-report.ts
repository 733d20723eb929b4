import { data, request } from './gateway.ts';

interface Step {
  id: string;
  kind: string;
  name: string;
  parent?: string;
  hook?: string;
  attempt?: number;
  status: string;
  message?: string;
}

/** The record of a build and the log of each step, without times. */
export async function buildReport(
  team: string,
  pipeline: string,
  job: string,
  number: string,
): Promise<string> {
  const path = `/teams/${team}/pipelines/${pipeline}/jobs/${job}/builds/${number}`;
  const build = await data<{ status: string; message?: string; steps: Step[] }>('GET', path);
  const answer = await request('GET', `${path}/logs`, { accept: 'application/json' });
  const { data: chunks }: { data: { step: string; text: string }[] } = JSON.parse(answer.body);
  const depth = (step: Step): number => {
    const parent = build.steps.find(({ id }) => id === step.parent);
    return parent === undefined ? 0 : depth(parent) + 1;
  };
  const lines = build.steps.flatMap((step) => {
    const { id, kind, name, hook, attempt, status, message } = step;
    const indent = '  '.repeat(depth(step));
    const head = [hook, kind, name, status, attempt && `attempt ${attempt}`, message && `(${message})`];
    const log = chunks.filter((chunk) => chunk.step === id).map(({ text }) => text);
    const shown = log.join('').trimEnd();
    const logLines = shown === '' ? [] : shown.split('\n').map((line) => `${indent}    | ${line}`);
    return [indent + head.filter((part) => part !== undefined && part !== '').join(' '), ...logLines];
  });
  return `${job}: ${build.status} (${build.message})\n${lines.map((line) => `${line}\n`).join('')}`;
}
