import type { WebhookAnswer, WebhookCall } from '#flows/checks/ports.ts';
import { answerWebhooks } from '#flows/checks/request-check.ts';
import { batched } from './batch.ts';
import type { PipelinePorts } from './pipeline-ports.ts';

/** The most webhooks that one transaction handles. */
const MAX_WEBHOOKS = 1000;
/** How many different webhooks may wait for a transaction. Further ones are refused. */
const MAX_WAITING = 20_000;

/**
 * Returns a function that handles webhooks in batches, because forges send bursts and repeat themselves.
 * Equal calls that wait count as one. The calls that arrive during a transaction share the next one, up to
 * `MAX_WEBHOOKS`. A call is `busy` if another transaction holds its resource. Such a call goes to a second
 * queue, whose transactions wait for the resource, so that it does not hold up the other calls.
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
