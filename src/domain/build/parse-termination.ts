import type { TerminationMessage } from './events.ts';

const OUTCOMES: readonly string[] = ['succeeded', 'failed', 'cancelled'];

/** The agent's last words, or nothing when the text is cut, foreign or of another format. */
export function parseTermination(text: string | undefined): TerminationMessage | undefined {
  if (text === undefined || !text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isTermination(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isTermination(value: unknown): value is TerminationMessage {
  if (typeof value !== 'object' || value === null) return false;
  const {
    format,
    outcome,
    reason,
    message,
    exits,
    acknowledged,
  }: Partial<Record<keyof TerminationMessage, unknown>> = value;
  return (
    format === 1 &&
    typeof outcome === 'string' &&
    OUTCOMES.includes(outcome) &&
    typeof reason === 'string' &&
    typeof message === 'string' &&
    typeof exits === 'object' &&
    exits !== null &&
    typeof acknowledged === 'number'
  );
}
