/** The value of a secret that a get printed, or why there is none. */
export type SecretOutput = { value: string } | { fault: string };

/** Limit for the output of the get of a secret type. */
export const MAX_SECRET_OUTPUT_BYTES = 256 * 1024;

/**
 * The value of the member `key` in the JSON object that a get prints on its last line. A fault quotes nothing
 * of the output, because the output may be secret.
 */
export function parseSecretOutput(output: string, key: string): SecretOutput {
  const line = output.trimEnd().split('\n').at(-1)?.trim() ?? '';
  if (line === '') return { fault: 'its get printed nothing' };
  const members = parseObject(line);
  if (members === undefined) return { fault: 'the last line of its get is not a JSON object' };
  const value = members.get(key);
  if (value === undefined || value === null) return { fault: `its get printed no member ${key}` };
  if (typeof value === 'string') return { value };
  if (typeof value === 'number' || typeof value === 'boolean') return { value: String(value) };
  return { fault: `the member ${key} of its get is an object or a list, not a string` };
}

function parseObject(line: string): Map<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isObject ? new Map(Object.entries(parsed)) : undefined;
  } catch {
    return undefined;
  }
}
