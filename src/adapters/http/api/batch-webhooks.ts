import type { WebhookAnswer, WebhookCall } from '#flows/checks/ports.ts';
import { answerWebhooks } from '#flows/checks/request-check.ts';
import { batched } from './batch.ts';
import type { PipelinePorts } from './pipeline-ports.ts';

/** Webhooks per transaction. */
const MAX_WEBHOOKS = 1000;
const MAX_WAITING = 20_000;

/**
 * Batches webhooks: forges send bursts and repeat themselves. Equal calls count as one, and all that arrive
 * meanwhile share a transaction.
 */
export function batchWebhooks(
  ports: Pick<PipelinePorts, 'checks' | 'notifications' | 'now'>,
): (call: WebhookCall) => Promise<Exclude<WebhookAnswer, 'busy'>> {
  const lane = (wait: boolean) =>
    batched<WebhookCall, WebhookAnswer>({
      call: (calls) => answerWebhooks({ calls, wait }, ports),
      nameOf: ({ tokenHash, signature }) => `${signature} ${tokenHash}`,
      maxItems: MAX_WEBHOOKS,
      maxWaiting: MAX_WAITING,
    });
  const [quick, patient] = [lane(false), lane(true)];
  return async (call) => {
    let answer = await quick(call);
    while (answer === 'busy') answer = await patient(call);
    return answer;
  };
}
