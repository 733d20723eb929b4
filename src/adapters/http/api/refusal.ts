import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { ActionRefused } from '#flows/builds/action-ports.ts';
import { requireFound } from './found.ts';

/**
 * Returns the answer if the action was done. Otherwise throws a problem: the subject does not exist, or its
 * state does not allow the action.
 */
export function requireDone<T extends { answer: 'done' }>(answer: T | ActionRefused, subject: string): T {
  const result = requireFound(answer.answer === 'unknown' ? undefined : answer, subject);
  if (result.answer === 'done') return result;
  const { reasons } = result;
  const isManaged = reasons.some(({ code }) => code === 'ManagedByManifest');
  const sentences = reasons.map(({ message }) => message).join(' ');
  throw new Problem(isManaged ? 'managed-by-manifest' : 'refused', sentences, {
    reasons: reasons.map(({ code, message }) => ({ code, message })),
  });
}

export const ReasonShown = Type.Object({ code: Type.String(), message: Type.String() });
