import { isNativeError } from 'node:util/types';

/** What was thrown, in a few words. */
export function explain(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EACCES' || code === 'EROFS') return 'permission denied';
  return error.message;
}
