import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { ActionRefused } from '#flows/builds/action-ports.ts';
import { requireFound } from './found.ts';

/** What was done; a problem when there is no such thing, or when something stands against it. */
export function doneOr<T extends { answer: 'done' }>(answer: T | ActionRefused, what: string): T {
  const there = requireFound(answer.answer === 'unknown' ? undefined : answer, what);
  if (there.answer === 'done') return there;
  const { reasons } = there;
  const managed = reasons.some(({ code }) => code === 'ManagedByManifest');
  const sentences = reasons.map(({ message }) => message).join(' ');
  throw new Problem(managed ? 'managed-by-manifest' : 'refused', sentences, {
    reasons: reasons.map(({ code, message }) => ({ code, message })),
  });
}

export const ReasonShown = Type.Object({ code: Type.String(), message: Type.String() });
