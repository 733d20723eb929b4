import type { GetStep } from './steps.ts';

/**
 * Whether each version triggers a build: without `passed`, unless `version` is `latest`; with `passed`, only
 * if `version` is `every`. Always false without `trigger`.
 */
export function takesEvery({ trigger, passed, version }: GetStep): boolean {
  const every = passed.length === 0 ? version !== 'latest' : version === 'every';
  return trigger && every;
}
