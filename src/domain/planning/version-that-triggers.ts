import type { GetStep } from '#domain/pipeline/steps.ts';

export type ChosenVersion = readonly [get: GetStep, version: Record<string, string>];

/**
 * The version that notifications of a build are about: that of the first get that triggers, otherwise that of
 * the first get.
 */
export function versionThatTriggers(chosen: readonly ChosenVersion[]): Record<string, string> | undefined {
  return (chosen.find(([{ trigger }]) => trigger) ?? chosen[0])?.[1];
}
