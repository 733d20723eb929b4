import {
  decideCancel,
  decideWarning,
  endStatus,
  isActive,
  type BuildStatus,
} from '#domain/scheduling/build-changes.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import { decideVote } from '#domain/scheduling/vote.ts';
import {
  disable,
  pauseJob,
  pausePipeline,
  pin,
  requestBuild,
  retryBuild,
  triggerVersion,
  unpin,
} from './actions-on-history.ts';
import { addOfSource, changeSource } from './change-source.ts';
import { applyDecision, decideFromHistory } from './decide-in-memory.ts';
import {
  addVersion,
  allVersions,
  countFromNow,
  findOrThrow,
  jobOf,
  printVersions,
  release,
  resourceOf,
  type History,
  type HistoryBuild,
  type HistoryJob,
  type HistoryResource,
} from './history.ts';
import { addJob, readPipeline } from './read-pipeline.ts';
import { rename } from './rename.ts';

/**
 * Plays a history in memory, one step per line; returns the lines with what really followed. The files in
 * src/domain/scheduling/testdata explain the format.
 */
export function play(pipeline: string, lines: readonly string[]): string[] {
  const history = readPipeline(pipeline);
  return lines.map((line) => {
    const [events = ''] = line.split('→');
    const before = new Map(history.builds.map((build) => [build.id, build.status]));
    const results = events
      .trim()
      .split(' + ')
      .flatMap((event) => step(history, event.trim().split(/\s+/)));
    if (!events.startsWith('why ')) results.push(...decide(history));
    const consequences = [...results, ...changes(history, before)];
    const margin = ' '.repeat(Math.max(1, events.length - events.trimEnd().length));
    return `${events.trimEnd()}${margin}→ ${consequences.join(', ')}`.trimEnd();
  });
}

function decide(history: History): string[] {
  const results: string[] = [];
  for (;;) {
    const decision = decideFromHistory(history);
    const requestsOfPeople = new Set(
      history.jobs
        .flatMap((job) => job.requests)
        .filter(({ after }) => after === undefined)
        .map(({ id }) => id),
    );
    const created = applyDecision(history, decision);
    const refused = decision.refused.filter(({ request }) => requestsOfPeople.has(request));
    results.push(...refused.map(({ reasons }) => `refused ${codes(reasons)}`));
    if (created.length === 0) return results;
  }
}

function codes(reasons: readonly Reason[]): string {
  return reasons.map(({ code }) => code).join(' ');
}

function changes(history: History, before: Map<number, BuildStatus>): string[] {
  return history.builds.flatMap((build) => {
    const statusBefore = before.get(build.id);
    if (statusBefore === build.status) return [];
    const job = jobOf(history, build.job);
    const name = `${job.name}#${build.number}`;
    if (statusBefore !== undefined) return `${name} ${build.status}`;
    const labels = build.inputs.map(({ resource, version }) =>
      labelOf(resourceOf(history, resource), version),
    );
    const status = build.status === 'pending' ? [] : [build.status];
    return [name, ...labels, ...status].join(' ');
  });
}

function labelOf(resource: HistoryResource, version: number): string {
  return findOrThrow(allVersions(resource), ({ id }) => id === version, `version ${version}`).label;
}

/** Applies a step; returns its direct result. */
function step(history: History, words: string[]): string[] {
  const [first = '', second = '', third = ''] = words;
  const command = COMMANDS[first];
  if (command !== undefined) return command(history, words.slice(1)) ?? [];
  if (second === 'approves' || second === 'rejects')
    return applyVote(history, { by: first, approve: second === 'approves', build: third });
  if (first.includes('#')) return applyEvents(history, buildNamed(history, first), words.slice(1));
  return applyCheck(history, first, words.slice(1));
}

function applyCheck(history: History, name: string, [verb = '', ...labels]: string[]): string[] {
  const resource = resourceNamed(history, name);
  if (verb === 'prints') printVersions(history, resource.id, labels);
  else if (verb === 'begins') resource.checking = resource.source ?? '';
  else if (verb === 'reports') addOfSource(history, resource, { source: resource.checking ?? '', labels });
  else for (const label of [verb, ...labels]) addVersion(history, resource.id, label);
  return [];
}

type Command = (history: History, words: string[]) => string[] | undefined;

const COMMANDS: Record<string, Command> = {
  pin: (history, [name = '', label = '']) => {
    const resource = resourceNamed(history, name);
    pin(history, resource, versionNamed(resource, label).id);
    return undefined;
  },
  unpin: (history, [name = '']) => {
    unpin(history, resourceNamed(history, name));
    return undefined;
  },
  disable: (history, words) => setDisabled(history, words, true),
  enable: (history, words) => setDisabled(history, words, false),
  pause: (history, words) => pause(history, words, true),
  unpause: (history, words) => pause(history, words, false),
  trigger,
  cancel: (history, [name = '']) => {
    const build = buildNamed(history, name);
    const answer = decideCancel(build.status);
    if (answer.answer === 'refused') return [`refused ${answer.reason.code}`];
    if (build.status === 'started') return [`${name} is asked to stop`];
    build.status = 'cancelled';
    return undefined;
  },
  retry: (history, [name = '', , by = 'ann']) => {
    const answer = retryBuild(history, buildNamed(history, name), by);
    return answer.answer === 'refused' ? [`refused ${codes(answer.reasons)}`] : undefined;
  },
  warn: (history, [name = '']) => {
    const build = buildNamed(history, name);
    const answer = decideWarning(build.status);
    if (answer.answer === 'refused') return [`refused ${answer.reason.code}`];
    build.status = 'warning';
    return undefined;
  },
  add: (history, words) => {
    countFromNow(history, addJob(history, words.join(' ')));
    return undefined;
  },
  source: (history, [name = '', source = '']) => {
    changeSource(history, resourceNamed(history, name), source);
    return undefined;
  },
  rename: (history, [old = '', name = '']) => {
    rename(history, old, name);
    return undefined;
  },
  hooks: (history, [name = '', label = '']) => {
    const resource = resourceNamed(history, name);
    release(resource, versionNamed(resource, label).id);
    return undefined;
  },
  why: (history, [name = '']) => {
    const { id } = jobNamed(history, name);
    const decision = decideFromHistory(history, { jobs: [id] });
    return decision.waiting.map(({ reasons }) => codes(reasons));
  },
};

function setDisabled(history: History, [name = '', label = '']: string[], disabled: boolean): undefined {
  const resource = resourceNamed(history, name);
  disable(history, { resource: resource.id, version: versionNamed(resource, label).id }, disabled);
}

function pause(history: History, [name]: string[], paused: boolean): undefined {
  if (name === undefined) pausePipeline(history, paused);
  else pauseJob(history, jobNamed(history, name), paused);
}

/** Triggers a job, or a version of a resource as `triggerVersion` does. */
function trigger(history: History, words: string[]): undefined {
  const [name = '', label] = words;
  if (history.jobs.some((job) => job.name === name)) {
    requestBuild(history, jobNamed(history, name));
    return;
  }
  const resource = resourceNamed(history, name);
  const { id, disabled } = versionNamed(resource, label ?? '');
  triggerVersion(history, { resource: resource.id, version: id, disabled });
}

function applyVote(history: History, vote: { by: string; approve: boolean; build: string }): string[] {
  const build = buildNamed(history, vote.build);
  const { gate } = jobOf(history, build.job);
  if (gate === undefined) throw new Error(`${vote.build} has no gate.`);
  const { cause } = build;
  const triggeredBy = cause.kind === 'manual' || cause.kind === 'retry' ? { triggeredBy: cause.by } : {};
  const answer = decideVote(
    { status: build.status, gate, votes: build.votes, ...triggeredBy },
    { ...vote, message: 'why' },
  );
  if (answer.answer === 'refused') return [`refused ${answer.reason.code}`];
  build.votes.push({ by: vote.by, approve: vote.approve });
  if (answer.answer === 'approved') {
    build.approved = true;
    build.status = 'pending';
  }
  if (answer.answer === 'rejected') build.status = 'failed';
  return [];
}

const OUTCOMES: Record<string, 'succeeded' | 'failed' | 'cancelled'> = {
  ok: 'succeeded',
  fails: 'failed',
  cancelled: 'cancelled',
};

function applyEvents(history: History, build: HistoryBuild, [event = '', ...puts]: string[]): string[] {
  if (!isActive(build.status)) throw new Error(`Build ${build.number} has ended.`);
  const outcome = OUTCOMES[event];
  if (outcome === undefined) build.status = 'started';
  else build.status = endStatus(outcome, jobOf(history, build.job));
  for (const put of puts) {
    const [name = '', label = ''] = put.split('=');
    const resource = resourceNamed(history, name);
    const hasLabel = (version: { label: string }): boolean => version.label === label;
    if (!allVersions(resource).some(hasLabel))
      addOfSource(history, resource, { source: build.sources?.[name] ?? '', labels: [label] });
    build.outputs.push({
      resource: resource.id,
      version: findOrThrow(allVersions(resource), hasLabel, label).id,
    });
  }
  return [];
}

function resourceNamed(history: History, name: string): HistoryResource {
  const existing = history.resources.find((resource) => resource.name === name);
  if (existing !== undefined) return existing;
  const created: HistoryResource = { id: history.resources.length + 1, name, versions: [] };
  history.resources.push(created);
  return created;
}

function versionNamed({ versions }: HistoryResource, label: string): HistoryResource['versions'][number] {
  return findOrThrow(versions, (version) => version.label === label, `version ${label}`);
}

function jobNamed(history: History, name: string): HistoryJob {
  return findOrThrow(history.jobs, (job) => job.name === name, `job ${name}`);
}

function buildNamed(history: History, name: string): HistoryBuild {
  const [job = '', number = ''] = name.split('#');
  const { id } = jobNamed(history, job);
  return findOrThrow(history.builds, (build) => build.job === id && build.number === number, `build ${name}`);
}
