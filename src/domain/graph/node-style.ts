import { jobId, outputId, type Graph, type GraphNode, type JobNode, type ResourceNode } from './graph.ts';
import type { GraphState, JobState, ResourceState } from './state.ts';
import { traceVersion } from './trace-version.ts';

/** How a node, or a row of a compact node, is drawn. */
export interface Style {
  tone: Tone;
  /** A build of the job is pending or running. */
  dashed: boolean;
  pinned: boolean;
  /** A version is followed, and the node is not on its path. */
  faded: boolean;
  /** The full name and the state in words, for viewers who cannot see the colour. */
  title: string;
}

const DARK_INK = '#1f2328';

/**
 * Fill, border and text colour of a node by its tone. The fills of `paused` and `warning`, and
 * `PINNED_BORDER`, come from a specification outside of this repository, so they must not change. Text has a
 * contrast of at least 4.5 on every fill.
 */
export const TONES = {
  idle: { fill: '#d8dee4', border: '#57606a', ink: DARK_INK },
  succeeded: { fill: '#6fdd8b', border: '#1a7f37', ink: DARK_INK },
  failed: { fill: '#cf222e', border: '#82071e', ink: '#ffffff' },
  cancelled: { fill: '#c69c6d', border: '#7a4a1d', ink: DARK_INK },
  warning: { fill: '#fa8072', border: '#8a3324', ink: DARK_INK },
  waiting: { fill: '#c297ff', border: '#6639ba', ink: DARK_INK },
  paused: { fill: '#29adff', border: '#0a5a94', ink: DARK_INK },
  resource: { fill: '#f6f8fa', border: '#57606a', ink: DARK_INK },
  failing: { fill: '#f6f8fa', border: '#cf222e', ink: DARK_INK },
} as const satisfies Record<string, { fill: string; border: string; ink: string }>;

/** The state that the colour of a node shows. */
export type Tone = keyof typeof TONES;

/** Border colour of a pinned resource. */
export const PINNED_BORDER = '#ffbf00';

export interface NodeStyle extends Style {
  /** For a compact node: one style for each of its jobs. */
  rows: Style[];
}

/** A person follows a new version of a resource through the pipeline. */
export interface FollowedVersion {
  /** The full graph of the pipeline, with all resources and without compact nodes. */
  whole: Graph;
  resource: string;
}

/**
 * The style of every node, by the id of the node. `followed`: fades the nodes that this version does not
 * reach.
 */
export function nodeStyles(
  graph: Graph,
  state: GraphState,
  followed?: FollowedVersion,
): Map<string, NodeStyle> {
  const path = followed && traceVersion(followed.whole, followed.resource);
  return new Map(
    graph.nodes.map((node) => {
      const faded = path !== undefined && !idsWithin(node).some((id) => path.has(id));
      return [
        node.id,
        node.kind === 'job' ? styleOfJobs(node, state, faded) : styleOfResource(node, state, faded),
      ];
    }),
  );
}

/** The ids of the nodes in the full graph that a node stands for. */
function idsWithin(node: GraphNode): string[] {
  if (node.kind === 'job') return node.jobs.map(jobId);
  return node.role === 'entry' ? [node.id] : node.after.map((job) => outputId(job, node.resource));
}

/** The tones of jobs, the worst first. A compact node has the worst tone of its jobs. */
const TONES_BY_SEVERITY: readonly Tone[] = [
  'failed',
  'cancelled',
  'warning',
  'waiting',
  'paused',
  'idle',
  'succeeded',
];

/** The worst of the tones; `idle` if there are none. */
export const worstTone = (tones: readonly Tone[]): Tone =>
  TONES_BY_SEVERITY.find((tone) => tones.includes(tone)) ?? 'idle';

function styleOfJobs({ jobs }: JobNode, state: GraphState, faded: boolean): NodeStyle {
  const rows = jobs.map((job) => styleOfJob(job, state.jobs.get(job), faded));
  const [only] = rows;
  if (only && rows.length === 1) return { ...only, rows: [] };
  return {
    tone: worstTone(rows.map(({ tone }) => tone)),
    dashed: rows.some((row) => row.dashed),
    pinned: false,
    faded,
    title: `${rows.length} jobs: ${rows.map(({ title }) => title).join('; ')}`,
    rows,
  };
}

function styleOfJob(job: string, state: JobState = { paused: false }, faded: boolean): Style {
  const { paused, ended, doing } = state;
  const words = [
    ...(paused ? ['paused'] : []),
    ...(doing ? [WORDS_FOR_ACTIVE[doing]] : []),
    ...(ended ? [paused || doing ? `before ${ended}` : ended] : []),
  ];
  return {
    tone: toneOf(state),
    dashed: doing === 'pending' || doing === 'started',
    pinned: false,
    faded,
    title: `${job}: ${words.length === 0 ? 'not yet run' : words.join(', ')}`,
  };
}

const WORDS_FOR_ACTIVE = { pending: 'pending', waiting: 'waiting for approval', started: 'running' } as const;

/** The tone of a job. A running or pending build does not change it. */
export function toneOf({ paused, ended, doing }: JobState): Tone {
  if (paused) return 'paused';
  return doing === 'waiting' ? 'waiting' : (ended ?? 'idle');
}

function styleOfResource(node: ResourceNode, { resources }: GraphState, faded: boolean): NodeStyle {
  const { pinned, failing }: ResourceState = resources.get(node.resource) ?? {
    pinned: false,
    failing: false,
  };
  const broken = failing && node.role === 'entry';
  const words = [...(pinned ? ['pinned'] : []), ...(broken ? ['last check failed'] : [])];
  return {
    tone: broken ? 'failing' : 'resource',
    dashed: false,
    pinned,
    faded,
    title: [`${node.resource}${originOf(node)}`, ...words].join(', '),
    rows: [],
  };
}

/** The jobs that put or passed the versions of the node, in words. Empty for a resource itself. */
function originOf({ role, after }: ResourceNode): string {
  if (role === 'entry') return '';
  return ` ${role === 'put' ? 'put by' : 'that passed'} ${after.join(', ')}`;
}
