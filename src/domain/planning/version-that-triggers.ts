import type { GetStep } from '#domain/pipeline/steps.ts';

export type Chosen = readonly [get: GetStep, version: Record<string, string>];

/** The version that notifications of a build are about: of the first get that triggers, or of the first get. */
export function versionThatTriggers(chosen: readonly Chosen[]): Record<string, string> | undefined {
  return (chosen.find(([{ trigger }]) => trigger) ?? chosen[0])?.[1];
}
