import type { GetStep } from './pipeline.ts';

/**
 * Each version gets a build. So it is without `passed` unless the get says `latest`, and with it when the get
 * says `every`; without `trigger` it would mean nothing.
 */
export function takesEvery({ trigger, passed, version }: GetStep): boolean {
  const every = passed.length === 0 ? version !== 'latest' : version === 'every';
  return trigger && every;
}
