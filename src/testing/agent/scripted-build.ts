import { Socket } from 'node:net';
import * as fc from 'fast-check';
import type { ShimCommand } from '#adapters/process/shim-commands.ts';
import { ShimConnection, type Listener, type Running } from '#adapters/process/shim-connection.ts';
import { parseCondition } from '#domain/language/condition.ts';
import type { Plan, PlanGroup, PlanHooks, PlanNode, PlanStep } from '#domain/planning/plan.ts';

/*
 * Random trees of steps, groups and branches, with hooks, attempts, timeouts and cancels. The agent runs them
 * in fake containers, where each attempt of a step ends as its script says.
 */

/** `hang`: the attempt runs until it is stopped. */
export type ScriptedEnd = 'succeed' | 'fail' | 'hang';

/** `ends` says how the attempts of a step end. Attempts beyond the list end like the last one in it. */
interface StepScript {
  attempts: number;
  ends: ScriptedEnd[];
  kind: 'task' | 'put' | 'notify';
  hooks: HooksScript;
}
interface GroupScript {
  steps: StepScript[];
  attempts: number;
  limit: number;
  failFast: boolean;
  /** The group has a timeout of a few milliseconds. */
  isLimited: boolean;
  hooks: HooksScript;
}
interface BranchScript {
  isTaken: boolean;
  nodes: NodeScript[];
}
type NodeScript = StepScript | GroupScript | BranchScript;
/** The steps of each hook. True: the step succeeds. */
type HooksScript = Record<HookKind, boolean[]>;
interface BuildScript {
  nodes: NodeScript[];
  hooks: HooksScript;
  /** The build is cancelled when this many commands have started. */
  cancelAt: number | undefined;
  /** The build has a timeout of a few milliseconds. */
  isLimited: boolean;
}

const SHORT_SECONDS = 0.005;
const LONG_SECONDS = 600;

const HOOK_NAMES = {
  onSuccess: 'on_success',
  onFailure: 'on_failure',
  onCancel: 'on_cancel',
  ensure: 'ensure',
} as const;
type HookKind = keyof typeof HOOK_NAMES;
const HOOK_KINDS = ['onSuccess', 'onFailure', 'onCancel', 'ensure'] as const;

const hookSteps = fc.array(fc.boolean(), { maxLength: 2 });
const hooksScript: fc.Arbitrary<HooksScript> = fc.record({
  onSuccess: hookSteps,
  onFailure: hookSteps,
  onCancel: hookSteps,
  ensure: hookSteps,
});
const end = fc.constantFrom<ScriptedEnd>('succeed', 'succeed', 'succeed', 'succeed', 'fail', 'fail', 'hang');
const stepScript: fc.Arbitrary<StepScript> = fc.record({
  attempts: fc.integer({ min: 1, max: 3 }),
  ends: fc.array(end, { minLength: 1, maxLength: 3 }),
  kind: fc.constantFrom('task', 'task', 'put', 'notify'),
  hooks: hooksScript,
});
const groupScript: fc.Arbitrary<GroupScript> = fc.record({
  steps: fc.array(stepScript, { minLength: 1, maxLength: 4 }),
  attempts: fc.integer({ min: 1, max: 2 }),
  limit: fc.integer({ min: 1, max: 4 }),
  failFast: fc.boolean(),
  isLimited: fc.boolean(),
  hooks: hooksScript,
});
function nodeScripts(depth: number): fc.Arbitrary<NodeScript[]> {
  const leaf: fc.Arbitrary<NodeScript> = fc.oneof(stepScript, stepScript, groupScript);
  const node: fc.Arbitrary<NodeScript> =
    depth === 0
      ? leaf
      : fc.oneof(leaf, leaf, fc.record({ isTaken: fc.boolean(), nodes: nodeScripts(depth - 1) }));
  return fc.array(node, { maxLength: 4 });
}
export const arbitraryBuild: fc.Arbitrary<BuildScript> = fc.record({
  nodes: nodeScripts(2),
  hooks: hooksScript,
  cancelAt: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined, freq: 2 }),
  isLimited: fc.constantFrom(false, false, false, true),
});

export const SCRIPTED_CONTAINERS = ['worker', 'worker-lane-2', 'worker-lane-3'];

/** The plan of a script, and what its steps do. */
export class ScriptedBuild {
  readonly plan: Plan;
  /** Hooks by the id of their step or group. The id of the job is the empty text. */
  readonly hooks = new Map<string, PlanHooks>();
  readonly #ends = new Map<string, ScriptedEnd[]>();

  constructor({ nodes, hooks, isLimited }: BuildScript) {
    this.plan = {
      format: 3,
      build: { id: '1', team: 'team', pipeline: 'p', job: 'j', number: '1', attempt: 1 },
      containers: SCRIPTED_CONTAINERS.map((name) => ({ name, pool: 'worker' })),
      workdir: '/work',
      timeoutSeconds: isLimited ? 3 * SHORT_SECONDS : LONG_SECONDS,
      services: [],
      steps: nodes.map((node, index) => this.#node(node, String(index))),
      hooks: this.#hooksOf('', hooks),
      notifications: [],
      variables: { TAKEN: 'true' },
    };
  }

  /** How the next attempt of a step ends. */
  next(step: string): ScriptedEnd {
    const [first = 'succeed', ...others] = this.#ends.get(step) ?? [];
    if (others.length > 0) this.#ends.set(step, others);
    return first;
  }

  #node(node: NodeScript, id: string): PlanNode {
    if ('ends' in node) return this.#step(node, id);
    if ('limit' in node) return this.#group(node, id);
    const condition = parseCondition(`$TAKEN == ${String(node.isTaken)}`);
    if ('reason' in condition) throw new Error(condition.reason);
    const steps = node.nodes.map((child, index) => this.#node(child, `${id}.0.${index}`));
    return {
      id,
      kind: 'branches',
      branches: [{ id: `${id}.0`, name: 'if', condition, services: [], steps }],
    };
  }

  #step({ attempts, ends, kind, hooks }: StepScript, id: string): PlanStep {
    const timeoutSeconds = ends.includes('hang') ? SHORT_SECONDS : LONG_SECONDS;
    return { ...this.#command(id, ends), kind, attempts, timeoutSeconds, hooks: this.#hooksOf(id, hooks) };
  }

  #group({ steps, attempts, limit, failFast, isLimited, hooks }: GroupScript, id: string): PlanGroup {
    return {
      id,
      kind: 'parallel',
      attempts,
      limit,
      failFast,
      ...(isLimited && { timeoutSeconds: 2 * SHORT_SECONDS }),
      steps: steps.map((step, index) => this.#step(step, `${id}.${index}`)),
      hooks: this.#hooksOf(id, hooks),
    };
  }

  #hooksOf(id: string, script: HooksScript): PlanHooks {
    const hooks: PlanHooks = {};
    for (const kind of HOOK_KINDS) {
      const prefix = `${id === '' ? '' : `${id}.`}${HOOK_NAMES[kind]}`;
      hooks[kind] = script[kind].map((good, index) =>
        this.#command(`${prefix}.${index}`, [good ? 'succeed' : 'fail']),
      );
    }
    this.hooks.set(id, hooks);
    return hooks;
  }

  #command(id: string, ends: ScriptedEnd[]): PlanStep {
    this.#ends.set(id, ends);
    const command = { container: 'worker', argv: ['run'] };
    return { id, kind: 'command', name: id, env: { STEP: id }, command };
  }
}

const refuseToSend = (): never => {
  throw new Error('nothing is sent');
};

/** A container whose commands end as `start` says. */
export class ScriptedContainer extends ShimConnection {
  readonly #start: (command: ShimCommand) => ScriptedEnd;
  #isBusy = false;

  constructor(name: string, start: (command: ShimCommand) => ScriptedEnd) {
    super(name, new Socket(), { seal: refuseToSend, open: refuseToSend });
    this.#start = start;
  }

  override run(command: ShimCommand, { onStarted }: Listener): Running {
    if (this.#isBusy) throw new Error(`two commands at once in ${this.container}`);
    this.#isBusy = true;
    const attemptEnd = this.#start(command);
    const { promise, resolve } = Promise.withResolvers<Awaited<Running['ended']>>();
    const exit = (kind: Awaited<Running['ended']>['end']): void => {
      this.#isBusy = false;
      resolve({
        end: kind,
        message: '',
        outOfMemory: false,
        terminated: false,
        leftovers: false,
        commandEnded: false,
        output: '',
      });
    };
    onStarted?.(1);
    if (attemptEnd !== 'hang')
      setImmediate(() => exit({ kind: 'code', code: attemptEnd === 'succeed' ? 0 : 1 }));
    return {
      id: 1,
      ended: promise,
      signal: () => attemptEnd === 'hang' && exit({ kind: 'signal', signal: 15 }),
    };
  }
}
