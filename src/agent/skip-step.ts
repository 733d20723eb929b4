import type { BuildContext, NodeEnd } from './build-context.ts';

/** Reports a step that does not run. */
export function skipStep(id: string, { outbox }: BuildContext): NodeEnd {
  outbox.add({ type: 'step-ended', step: id, status: 'skipped' });
  return { status: 'skipped', exports: {} };
}
