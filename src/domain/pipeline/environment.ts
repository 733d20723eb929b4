import { environmentAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { EnvironmentVariable } from '#domain/language/read-attribute.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { isReservedVariable } from './environment-table.ts';
import { findSecretNames } from './secret-placeholder.ts';

/**
 * The variables of `before`, then those of the attribute `env`. The field `env` is absent if there are none.
 * Reports invalid names and names that are set twice.
 */
export function readEnvironmentVariables(
  block: ReadBlock,
  report: Report,
  before: readonly EnvironmentVariable[] = [],
): { env?: Record<string, string> } {
  const env: Record<string, string> = {};
  for (const { name, text, range } of [...before, ...environmentAt(block, 'env')]) {
    const reason = explainBadName(name) ?? (Object.hasOwn(env, name) ? `${name} is set twice` : undefined);
    if (reason === undefined) env[name] = text;
    else report(diagnose('invalid-environment', range, reason));
  }
  return Object.keys(env).length > 0 ? { env } : {};
}

function explainBadName(name: string): string | undefined {
  if (findSecretNames(name).length > 0) return 'the name of a variable cannot be secret';
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    return `${JSON.stringify(name)} cannot be the name of a variable of the environment`;
  return isReservedVariable(name) ? `${name} is set by Millrace and cannot be set here` : undefined;
}
