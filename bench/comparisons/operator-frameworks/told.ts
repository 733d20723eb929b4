import { setTimeout as sleep } from 'node:timers/promises';

/** What a contestant says on its standard output, a line of JSON each. */
export interface Said {
  /** `heard`: the library delivered an event. `begun`, `ended`: the handler started, finished. */
  what: 'heard' | 'begun' | 'ended';
  change: 'added' | 'updated' | 'deleted' | 'work';
  kind: 'ConfigMap' | 'Secret';
  name: string;
  uid: string;
  at: number;
}

export const NAMESPACE = 'measure';
export const SLOW_MS = 6000;

const thrown = new Set<string>();

export function say(said: Omit<Said, 'at'>): void {
  process.stdout.write(`${JSON.stringify({ ...said, at: Date.now() })}\n`);
}

/** The same handler for every contestant; the object's name says how it behaves. */
export async function handle(said: Omit<Said, 'at' | 'what'>): Promise<void> {
  say({ ...said, what: 'begun' });
  if (said.name.startsWith('throws') && !thrown.has(said.name)) {
    thrown.add(said.name);
    throw new Error('the handler failed, as it was asked to');
  }
  if (said.name.startsWith('slow')) await sleep(SLOW_MS);
  say({ ...said, what: 'ended' });
}
