import type { Reason } from '#domain/scheduling/reasons.ts';
import { DEBUG_LIMITS } from './debug-limits.ts';

/** A step that runs a command now. */
export interface RunningStep {
  /** Id in the plan, such as `0` or `2.1`. */
  id: string;
  kind: string;
  name: string;
}

/** The build in which a person wants to open a shell. */
export interface DebugTarget {
  team: string;
  /** The team allows shells in its builds. */
  allowed: boolean;
  /** The build has started, so one of its steps may be running. */
  started: boolean;
  ended: boolean;
  steps: readonly RunningStep[];
}

/**
 * The step in which a person gets a shell, or why they get none. `requestedStep`: the step that they named,
 * by its id, name, or kind and name (`task unit`, `task.unit`). Undefined: the only step that runs.
 */
export function decideDebug(
  { team, allowed, started, ended, steps }: DebugTarget,
  requestedStep: string | undefined,
): { answer: 'step'; step: RunningStep } | { answer: 'refused'; reason: Reason } {
  if (!allowed) return refused('DebugNotAllowed', notAllowedMessage(team));
  if (ended) return refused('NoRunningStep', 'The build has ended. A shell needs a step that runs.');
  if (!started) return refused('NoRunningStep', 'The build has not started, so no step runs.');
  const matching =
    requestedStep === undefined ? steps : steps.filter((step) => isCalled(step, requestedStep));
  const [step, ...others] = matching;
  if (step === undefined) return refused('NoRunningStep', noStepMessage(steps, requestedStep));
  if (others.length > 0)
    return refused('NoRunningStep', `Several steps run: ${listSteps(matching)}. Name one of them.`);
  return { answer: 'step', step };
}

const notAllowedMessage = (team: string): string =>
  `Team ${team} does not allow shells in its builds. ` +
  'An admin of the team can allow them: set spec.debug: true in the Team, or "debug": true over the API.';

function noStepMessage(steps: readonly RunningStep[], requestedStep: string | undefined): string {
  if (requestedStep === undefined || steps.length === 0) return 'No step runs at the moment.';
  return `No step ${requestedStep} runs at the moment. Running: ${listSteps(steps)}.`;
}

const isCalled = ({ id, kind, name }: RunningStep, requestedStep: string): boolean =>
  requestedStep === id ||
  requestedStep === name ||
  requestedStep === `${kind} ${name}` ||
  requestedStep === `${kind}.${name}`;

/** Lists kinds and names of the steps. A step that shares its name with another one also gets its id. */
function listSteps(steps: readonly RunningStep[]): string {
  return steps
    .map(({ id, kind, name }) => {
      const isUnique = steps.filter((step) => step.name === name).length === 1;
      return isUnique ? `${kind} ${name}` : `${kind} ${name} (${id})`;
    })
    .join(', ');
}

/** Why a person gets no shell if the maximum number of shells is open in the build. */
export const TOO_MANY_SHELLS: Reason = {
  code: 'DebugSessionsFull',
  message: `${DEBUG_LIMITS.sessions} shells are open in this build, the maximum. Close one of them.`,
};

const refused = (code: 'DebugNotAllowed' | 'NoRunningStep', message: string) =>
  ({ answer: 'refused', reason: { code, message } }) as const;
