import { isNativeError } from 'node:util/types';

/** A short text for an error of the file system or any other value that was thrown. */
export function explain(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'no such file or directory';
  if (code === 'EACCES') return 'permission denied';
  if (code === 'EROFS') return 'read-only file system';
  return error.message;
}
