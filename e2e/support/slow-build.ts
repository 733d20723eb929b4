import { expect } from '@jest/globals';
import { eventually } from './eventually.ts';
import { createPipeline, oneJob, releaseSteps, UNTIL_RELEASED } from './fixtures.ts';
import { created, pipelineApi, type Build } from './gateway.ts';
import { list } from './read-objects.ts';

/* A build of one step that runs until the test releases it, for tests that break something meanwhile. */

/** Prints a numbered line every half second until `releaseSteps`. */
const SLOW = `n=0; until ${UNTIL_RELEASED}; do n=$((n + 1)); echo "line $n"; sleep 0.5; done`;

/** The numbered lines of a log. */
export const slowLinesOf = (log: string): string[] =>
  log.split('\n').filter((line) => line.startsWith('line '));

/** Expects the lines from 1 on, without a gap. */
export const expectWhole = (lines: string[], atLeast: number): void => {
  expect(lines.length).toBeGreaterThanOrEqual(atLeast);
  expect(lines).toEqual(lines.map((_, index) => `line ${index + 1}`));
};

/**
 * Expects the log up to the fault, the line that announces attempt 2, and the whole log of attempt 2. Returns
 * why there is a second attempt.
 */
export const expectLogOfTwoAttempts = (log: string): string => {
  const [first = '', why = '', second = ''] = log.split(/^--- attempt 2: (.+) ---$/m);
  expectWhole(slowLinesOf(first), 2);
  expectWhole(slowLinesOf(second), 1);
  return why;
};

/**
 * Creates the pipeline and triggers a build of it. Returns its number once its step has printed two lines.
 */
export const startSlowBuild = async (team: string, pipeline: string): Promise<string> => {
  await createPipeline(team, pipeline, oneJob(SLOW));
  const api = pipelineApi(team, pipeline);
  const { number } = created(await api.trigger('work'));
  await eventually(async () => expect(await api.log('work', number)).toContain('line 2'));
  return number;
};

/** Waits for at least `newLines` new lines, releases the step, and returns the succeeded build. */
export const endSlowBuild = async (
  team: string,
  pipeline: string,
  number: string,
  newLines = 0,
): Promise<Build> => {
  const api = pipelineApi(team, pipeline);
  const printed = async (): Promise<number> => {
    const { length } = slowLinesOf(await api.log('work', number));
    expect(length).toBeGreaterThan(0);
    return length;
  };
  const before = await eventually(printed);
  await eventually(async () => expect(await printed()).toBeGreaterThanOrEqual(before + newLines));
  return await eventually(async () => {
    await releaseSteps(team, pipeline);
    const build = await api.build('work', number);
    expect(build.status).toBe('succeeded');
    return build;
  });
};

export const podOf = async (team: string, pipeline: string): Promise<string> => {
  const selector = `millrace.dev/kind=build,millrace.dev/pipeline=${pipeline}`;
  const [pod] = await list('pods', '--namespace', team, '--selector', selector);
  if (pod === undefined) throw new Error(`no build Pod of ${pipeline}`);
  return pod.metadata.name;
};

/** Waits until the first step of attempt 2 has printed a line; attempt 1 has ended by then. */
export const waitForSecondAttempt = async (team: string, pipeline: string, number: string): Promise<void> => {
  await eventually(async () => {
    const log = await pipelineApi(team, pipeline).log('work', number);
    const [, secondAttempt] = log.split(/^--- attempt 2: .+ ---$/m);
    expect(secondAttempt).toMatch(/^line 1$/m);
  });
};
