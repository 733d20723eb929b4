import { type BuildDecision, type Decision, type JobFacts, type Snapshot, type Waiting } from './snapshot.ts';
import { chooseInputs, type Choice } from './choose-inputs.ts';

/**
 * Which builds to create now, with which versions, and why nothing else. Ungated triggers: one build per new version, oldest first,
 * also while another build is active. Gated triggers: the newest version that is good in all upstream jobs, if no build of the job
 * used it or a newer one, and only one build at a time. All other gets take the newest version they may.
 */
export function decide(snapshot: Snapshot): Decision {
  const decision: Decision = { builds: [], waiting: [], refused: [], dealtWith: [], unfinished: [] };
  for (const job of snapshot.jobs.toSorted((a, b) => a.id - b.id)) {
    const choices = chooseInputs(job);
    decideAutomatic(job, choices, decision);
    decideManual(job, choices, decision);
  }
  return decision;
}

function decideAutomatic(job: JobFacts, choices: Choice[], decision: Decision): void {
  if (!job.gets.some((get) => get.trigger)) return;
  const hindered = hindrances(job, choices);
  if (hindered.length > 0) {
    decision.waiting.push(...hindered);
    return;
  }
  const builds = distinct([...buildsForNewVersions(job, choices), ...buildForPassed(job, choices)]);
  const wanted = builds.filter((build) => build.cause.kind !== 'passed' || !job.active);
  decision.builds.push(...wanted);
  decision.dealtWith.push(...dealtWith(job, choices));
  if (choices.some((choice) => choice.capped)) decision.unfinished.push(job.id);
  if (wanted.length > 0) return;
  decision.waiting.push(
    builds.length > 0
      ? waiting(
          job,
          'BuildActive',
          'A newer version has passed; it is taken when the build that is pending or running ends.',
        )
      : waiting(job, 'NothingNew', 'No version has come since the last build.'),
  );
}

function decideManual(job: JobFacts, choices: Choice[], decision: Decision): void {
  const reasons = hindrances(job, choices);
  for (const request of job.requests.toSorted((a, b) => a.id - b.id)) {
    if (reasons.length > 0) decision.refused.push({ request: request.id, reasons });
    else
      decision.builds.push({
        job: job.id,
        versions: choices.flatMap((choice) => choice.version ?? []),
        cause: { kind: 'manual', request: request.id, by: request.by },
      });
  }
}

function hindrances(job: JobFacts, choices: Choice[]): Waiting[] {
  if (job.paused) return [waiting(job, 'JobPaused', `Job ${job.name} or its pipeline is paused.`)];
  return choices.flatMap((choice) =>
    choice.missing === undefined ? [] : [{ job: job.id, ...choice.missing }],
  );
}

/** One build per new version; its other gets take the newest. Versions that came in one decision never make the same build twice. */
function buildsForNewVersions(job: JobFacts, choices: Choice[]): BuildDecision[] {
  const chosen = choices.flatMap((choice) => choice.version ?? []);
  return choices
    .flatMap((choice, get) => choice.unused.map((version) => ({ get, version })))
    .toSorted((a, b) => a.version - b.version || a.get - b.get)
    .map(({ get, version }) => ({
      job: job.id,
      versions: chosen.with(get, version),
      cause: { kind: 'version', version },
    }));
}

function buildForPassed(job: JobFacts, choices: Choice[]): BuildDecision[] {
  const fresh = choices.flatMap((choice) => (choice.freshlyPassed ? (choice.version ?? []) : []));
  if (fresh.length === 0) return [];
  const versions = choices.flatMap((choice) => choice.version ?? []);
  return [{ job: job.id, versions, cause: { kind: 'passed', version: Math.max(...fresh) } }];
}

function distinct(builds: BuildDecision[]): BuildDecision[] {
  const first = new Map<string, BuildDecision>();
  for (const build of builds) {
    const key = build.versions.join(' ');
    if (!first.has(key)) first.set(key, build);
  }
  return [...first.values()];
}

function dealtWith(job: JobFacts, choices: Choice[]): Decision['dealtWith'] {
  return choices.flatMap((choice, get) => {
    const version = choice.unused.at(-1);
    return version === undefined ? [] : [{ job: job.id, get, version }];
  });
}

function waiting(job: JobFacts, code: Waiting['code'], message: string): Waiting {
  return { job: job.id, code, message };
}
