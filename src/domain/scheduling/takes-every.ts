import type { GetStep } from '#domain/pipeline/pipeline.ts';

/** Each version gets a build. So it is without `passed`, and with it when the get says so; without `trigger` it would mean nothing. */
export function takesEvery({ trigger, passed, version }: GetStep): boolean {
  return trigger && (version === 'every' || passed.length === 0);
}
