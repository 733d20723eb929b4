import { Problem, type ProblemKind } from '#adapters/http/protocol/problem.ts';
import type { ObjectAnswer } from '#flows/people/object-ports.ts';
import type { ApiObjects } from '#flows/pipelines/object-ports.ts';

/** Returns the port that writes objects, or throws if the gateway runs without a cluster. */
export function requireObjects(objects: ApiObjects | undefined): ApiObjects {
  if (objects !== undefined) return objects;
  throw new Problem(
    'unavailable',
    'This gateway runs without a cluster, so it cannot create or change objects.',
  );
}

/** Returns what was written, or throws a problem that says why nothing was written. */
export function requireWritten<T>(answer: ObjectAnswer<T>, subject: string): T {
  if (answer.answer === 'done') return answer.value;
  throw objectProblem(answer, subject);
}

type NotWritten = Exclude<ObjectAnswer, { answer: 'done' }>;

/** For each answer, the kind of the problem and the end of a sentence that starts with the subject. */
const PROBLEMS = {
  exists: ['already-exists', 'exists already'],
  unknown: ['not-found', 'does not exist'],
  managed: ['managed-by-manifest', 'is managed by a manifest: change it there'],
  changed: ['refused', 'was changed by someone else at the same time: reload it and try again'],
} as const satisfies Record<string, readonly [ProblemKind, string]>;

/** `subject` names the object for people: `Pipeline app`. */
export function objectProblem(answer: NotWritten, subject: string): Problem {
  if (answer.answer === 'refused') return new Problem('refused', answer.message);
  if (answer.answer === 'unreachable') return new Problem('unavailable', answer.message);
  const [kind, sentenceEnd] = PROBLEMS[answer.answer];
  return new Problem(kind, `${subject} ${sentenceEnd}.`);
}
