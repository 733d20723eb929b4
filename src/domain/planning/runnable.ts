import type { Command } from '#domain/pipeline/command.ts';

/** Name of the container with the worker image: git, jq, curl, ssh and bash. */
export const WORKER = 'worker';

/**
 * Whether a command runs a program. `exec` with an empty path runs none. A custom runner always counts as
 * running a program. If its path becomes empty, its step fails.
 */
export function isRunnable(command: Command): boolean {
  return command.runner !== 'exec' || command.path !== '';
}

/** A part of a container's name, at most 40 characters. */
export function containerWord(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40)
    .replace(/-$/, '');
}
