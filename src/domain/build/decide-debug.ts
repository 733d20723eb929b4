import type { Reason } from '#domain/scheduling/reasons.ts';
import { DEBUG_LIMITS } from './debug-limits.ts';

/** A step that runs a command now. */
export interface RunningStep {
  /** Of the plan: `0`, `2.1`. */
  id: string;
  kind: string;
  name: string;
}

export interface DebugTarget {
  team: string;
  /** The team allows shells in its builds. */
  allowed: boolean;
  /** A Pod of the build may have a step that runs. */
  started: boolean;
  ended: boolean;
  steps: readonly RunningStep[];
}

/** The step in which a person gets a shell, or why there is none. `asked`: name or id; absent: the only one. */
export function decideDebug(
  { team, allowed, started, ended, steps }: DebugTarget,
  asked: string | undefined,
): { answer: 'step'; step: RunningStep } | { answer: 'refused'; reason: Reason } {
  if (!allowed) return refused('DebugNotAllowed', notAllowed(team));
  if (ended) return refused('NoRunningStep', 'The build has ended. A shell needs a step that runs.');
  if (!started) return refused('NoRunningStep', 'The build has not started, so no step runs.');
  const found = asked === undefined ? steps : steps.filter((step) => isCalled(step, asked));
  const [step, ...more] = found;
  if (step === undefined) return refused('NoRunningStep', noneOf(steps, asked));
  if (more.length > 0)
    return refused('NoRunningStep', `Several steps run: ${listed(found)}. Name one of them.`);
  return { answer: 'step', step };
}

const notAllowed = (team: string): string =>
  `Team ${team} does not allow shells in its builds. ` +
  'An admin of the team can allow them: set spec.debug: true in the Team, or "debug": true over the API.';

function noneOf(steps: readonly RunningStep[], asked: string | undefined): string {
  if (asked === undefined || steps.length === 0) return 'No step runs at the moment.';
  return `No step ${asked} runs at the moment. Running: ${listed(steps)}.`;
}

const isCalled = ({ id, kind, name }: RunningStep, asked: string): boolean =>
  asked === id || asked === name || asked === `${kind} ${name}` || asked === `${kind}.${name}`;

/** Names, with the id where a name is not enough. */
function listed(steps: readonly RunningStep[]): string {
  return steps
    .map(({ id, kind, name }) => {
      const isUnique = steps.filter((one) => one.name === name).length === 1;
      return isUnique ? `${kind} ${name}` : `${kind} ${name} (${id})`;
    })
    .join(', ');
}

/** As many shells are open in the build as it may have. */
export const TOO_MANY_SHELLS: Reason = {
  code: 'DebugSessionsFull',
  message: `${DEBUG_LIMITS.sessions} shells are open in this build, the maximum. Close one of them.`,
};

const refused = (code: 'DebugNotAllowed' | 'NoRunningStep', message: string) =>
  ({ answer: 'refused', reason: { code, message } }) as const;
