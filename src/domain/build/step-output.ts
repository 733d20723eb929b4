import { variablePart } from '#domain/planning/environment-names.ts';

/**
 * The variables for later steps that a task wrote to `$SVC_OUTPUT`: lines `KEY=VALUE`, split at the first
 * `=`. Empty lines and lines that start with `#` are ignored. The last line for a key wins.
 */
export function parseOutput(prefix: string, text: string): Record<string, string> {
  const exports: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const cut = line.indexOf('=');
    const key = line.slice(0, Math.max(cut, 0)).trim();
    if (key === '' || line.trimStart().startsWith('#')) continue;
    exports[prefix + variablePart(key)] = line.slice(cut + 1);
  }
  return exports;
}

/** The fields of a version, as variables for later steps. */
export function exportVersion(prefix: string, version: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(version).map(([key, value]) => [prefix + variablePart(key), value]),
  );
}
