import type { WebhookAnswer, WebhookCall } from '#flows/checks/ports.ts';
import { answerWebhooks } from '#flows/checks/request-check.ts';
import { batched } from './batch.ts';
import type { PipelinePorts } from './pipeline-ports.ts';

/** Webhooks per transaction. */
const MAX_WEBHOOKS = 1000;
const MAX_WAITING = 20_000;

/**
 * Batches webhooks, because forges send bursts and repeat themselves. Equal calls count as one, and all calls
 * that arrive during a transaction share the next one. If another transaction holds the resource of a call, a
 * second batch waits for it, so that the first does not hold up other calls.
 */
export function batchWebhooks(
  ports: Pick<PipelinePorts, 'checks' | 'notifications' | 'now'>,
): (call: WebhookCall) => Promise<Exclude<WebhookAnswer, 'busy'>> {
  const batchCalls = (wait: boolean) =>
    batched<WebhookCall, WebhookAnswer>({
      call: (calls) => answerWebhooks({ calls, wait }, ports),
      nameOf: ({ tokenHash, signature }) => `${signature} ${tokenHash}`,
      maxItems: MAX_WEBHOOKS,
      maxWaiting: MAX_WAITING,
    });
  const [answerAtOnce, answerWaiting] = [batchCalls(false), batchCalls(true)];
  return async (call) => {
    let answer = await answerAtOnce(call);
    while (answer === 'busy') answer = await answerWaiting(call);
    return answer;
  };
}
