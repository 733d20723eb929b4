import { defined } from '#defined';
import { expandReferences } from '#domain/build/expand-references.ts';
import type { ProtocolCall } from '#domain/planning/plan.ts';
import type { CommandRun } from './run-command.ts';

/**
 * What the program of a resource type of Concourse needs besides its command: the input, directories without
 * the temporary files of earlier commands, and an empty folder. For other commands, returns nothing of these.
 * As with every put, the params of a put may refer to `variables`.
 */
export function callOf(
  { kind, call }: { kind?: string; call?: ProtocolCall },
  variables: Readonly<Record<string, string>> = {},
): Partial<Pick<CommandRun, 'input' | 'fresh' | 'folder'>> {
  if (call === undefined) return {};
  const input = kind === 'put' ? withReferences(call.input, variables) : call.input;
  return { input, fresh: true, ...defined({ folder: call.folder }) };
}

function withReferences(text: string, variables: Readonly<Record<string, string>>): string {
  const input: { source: unknown; params: unknown } = JSON.parse(text);
  return JSON.stringify({ ...input, params: expand(input.params, variables) });
}

function expand(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return expandReferences(value, variables);
  if (Array.isArray(value)) return value.map((item: unknown) => expand(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [name, expand(inner, variables)]),
  );
}
