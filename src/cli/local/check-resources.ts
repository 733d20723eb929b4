import { runChecks } from '#agent/run-checks.ts';
import type { SecretLinks } from '#agent/secrets.ts';
import type { Stop } from '#agent/stop.ts';
import { CommandError } from '#cli/terminal.ts';
import type { CheckResult } from '#domain/build/agent-protocol.ts';
import type { CheckRun } from '#domain/planning/plan.ts';
import type { Containers } from './containers.ts';

/**
 * Checks the resources and returns the newest version of each. Throws if a check fails or finds no version.
 */
export async function checkResources(
  run: CheckRun,
  { shims }: Containers,
  { stop, requestSecrets }: { stop: Stop; requestSecrets: SecretLinks['request'] },
): Promise<Map<string, Record<string, string>>> {
  const results: CheckResult[] = [];
  const post = async (posted: { results: CheckResult[] }): Promise<void> =>
    void results.push(...posted.results);
  await runChecks({ run, shims, stop, post, requestSecrets });
  if (stop.reason !== undefined) throw new CommandError('cancelled before a step began');
  const versions = run.checks.map(({ scope, resource }) => {
    const result = results.find((candidate) => candidate.scope === scope);
    const version = result?.versions?.at(-1);
    if (version !== undefined) return [resource, version] as const;
    const reason = result?.error ?? 'The check found no version.';
    throw new CommandError(
      `${resource}: ${reason} Use a local directory with --resource ${resource}=<path>.`,
    );
  });
  return new Map(versions);
}
