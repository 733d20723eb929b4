import { defined } from '#defined';
import { stringAt } from '#domain/language/block-values.ts';
import { diagnose } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { CompileContext } from './compile-context.ts';
import { LIMITS } from './limits.ts';
import { checkParameters } from './parameter-rules.ts';
import type { Pipeline, SecretType, SecretVariable } from './pipeline.ts';
import { findType } from './resources.ts';
import { findSecretNames } from './secret-placeholder.ts';
import { checkSecret } from './secret-rules.ts';
import type { SecretDefinition } from './secret-types.ts';
import type { KnownTypes, NamedType } from './type-kinds.ts';

/** The `secret` block of a variable. */
export interface SecretBlock {
  variable: string;
  block: ReadBlock;
  /** The manifest or command line gives a value. The block is checked, but not used. */
  overridden: boolean;
}

type Types = KnownTypes<SecretDefinition>;

interface KnownSecret {
  secret: SecretVariable;
  type: SecretDefinition & NamedType;
  block: ReadBlock;
}

/** What the gateway needs to fill in the variables, with every secret type that they use. */
export function readSecrets(
  blocks: readonly SecretBlock[],
  types: Types,
  context: CompileContext,
): Pick<Pipeline, 'secrets' | 'secretTypes'> {
  const read = blocks.flatMap(({ variable, block, overridden }) => {
    const secret = readSecret(variable, block, types, context);
    return secret && !overridden ? [secret] : [];
  });
  const known = new Map(read.map((secret) => [secret.secret.name, secret]));
  checkChains(known, context);
  if (read.length === 0) return {};
  const used = new Map(read.map(({ type }) => [type.name, withoutParams(type)]));
  return { secrets: read.map(({ secret }) => secret), secretTypes: [...used.values()] };
}

function withoutParams({ name, builtIn, origin, config, get }: SecretDefinition & NamedType): SecretType {
  return { name, builtIn, ...defined({ origin }), config, ...defined({ get }) };
}

function readSecret(
  name: string,
  block: ReadBlock,
  types: Types,
  { report }: CompileContext,
): KnownSecret | undefined {
  const type = findType(block, 'secret type', types, report);
  const path = stringAt(block, 'path');
  const key = stringAt(block, 'key');
  if (!type || !key) return undefined;
  // A declared type is checked at its own block.
  if (!types.declared.has(type.name)) {
    const description = `the secret type ${type.name}`;
    checkParameters(type, { parameters: [], owner: block, description }, report);
  }
  checkSecret(block, type, report);
  return { secret: { name, type: type.name, key: key.text, ...(path && { path: path.text }) }, type, block };
}

/** Reports secrets that need each other in a cycle, or in a chain that is too long. */
function checkChains(known: ReadonlyMap<string, KnownSecret>, { report }: CompileContext): void {
  const depths = new Map<string, number>();
  const path: string[] = [];
  const visit = (name: string): number => {
    const knownDepth = depths.get(name);
    const secret = known.get(name);
    if (knownDepth !== undefined || !secret) return knownDepth ?? 0;
    const start = path.indexOf(name);
    if (start >= 0) {
      const cycle = [...path.slice(start), name].map((member) => `var.${member}`).join(' → ');
      report(
        diagnose('secret-cycle', secret.block.range, `secrets depend on each other in a cycle: ${cycle}`),
      );
      return 0;
    }
    path.push(name);
    const depth = 1 + Math.max(0, ...needsOf(secret).map(visit));
    path.pop();
    depths.set(name, depth);
    if (depth === LIMITS.secretChain + 1) {
      const message = `var.${name} needs more than ${LIMITS.secretChain - 1} other secrets, one after another`;
      report(diagnose('secret-chain', secret.block.range, message));
    }
    return depth;
  };
  for (const name of known.keys()) visit(name);
}

/** Names of the secrets whose values are needed to read this one. */
function needsOf({ secret, type }: KnownSecret): string[] {
  return findSecretNames(JSON.stringify([secret.path ?? '', secret.key, type.config, type.get ?? '']));
}
