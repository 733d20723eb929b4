import {
  automaticInputs,
  chooseInputs,
  type InputProblem,
  type InputValues,
} from '#domain/pipeline/input-values.ts';
import type { BuildRequest, JobFacts } from './facts.ts';
import type { Reason, ReasonCode } from './reasons.ts';

const CODES = {
  required: 'InputRequired',
  unknown: 'InputUnknown',
  invalid: 'InputInvalid',
} as const satisfies Record<InputProblem['kind'], ReasonCode>;

/** A request with one of these reasons fails again if it is repeated. */
export const INPUT_REASONS: ReadonlySet<string> = new Set<ReasonCode>(Object.values(CODES));

type InputChoice = { values: InputValues } | { reasons: Reason[] };

/** Returns the values of the job's inputs for a requested build, or every reason why they are invalid. */
export function inputsOfRequest({ inputs = [] }: JobFacts, request: BuildRequest): InputChoice {
  const chosen = chooseInputs(inputs, request.inputs ?? {});
  if ('values' in chosen) return chosen;
  return {
    reasons: chosen.problems.map(({ kind, message }) => ({
      code: CODES[kind],
      message: request.version === undefined ? message : `${message} ${TRIGGER_THE_JOB}`,
    })),
  };
}

/**
 * Added to a message if a person triggered a version. Such a trigger may start several jobs, so it takes no
 * input values.
 */
const TRIGGER_THE_JOB = 'Pin the version and trigger the job itself.';

/** Returns the default values as a field of a build; no field if the job has no inputs. */
export function withAutomaticInputs({ inputs = [] }: JobFacts): { inputs?: InputValues } {
  return inputs.length === 0 ? {} : { inputs: automaticInputs(inputs) };
}
