import type { AgentWork } from '#domain/build/agent-protocol.ts';
import { isSession } from './answers.ts';
import { GatewayError, type GatewayClient } from './gateway-client.ts';
import { gatewayBackOff, isFinal, pauseFor } from './retry.ts';

/** A stream that lasts this long works: it resets the back-off and the time limit. */
const STABLE_STREAM_MS = 10_000;

export interface WaitOptions {
  architecture: string;
  stop: AbortSignal;
  /** Gives up after this time without a working stream, because a build may have taken the Pod meanwhile. */
  unreachableLimitMs: number;
}

/** Waits until a build takes this Pod. Reconnects whenever the stream breaks. */
export async function waitForWork(
  client: Pick<GatewayClient, 'follow'>,
  { architecture, stop, unreachableLimitMs }: WaitOptions,
): Promise<AgentWork> {
  const path = `/agent/v1/work?architecture=${encodeURIComponent(architecture)}`;
  const backOff = gatewayBackOff();
  let lastWorking = performance.now();
  for (;;) {
    const began = performance.now();
    const received = Promise.withResolvers<AgentWork>();
    let work: AgentWork | undefined;
    try {
      await Promise.race([
        client.follow(
          path,
          (line) => {
            work = workOf(line);
            received.resolve(work);
          },
          stop,
        ),
        received.promise,
      ]);
    } catch (error) {
      if (isFinal(error) || stop.aborted) throw error;
    }
    if (work !== undefined) return work;
    // A short stream does not count as working: while the gateway cannot look up the entrypoint of an image
    // of the build, it also ends each stream as soon as it opens.
    if (performance.now() - began > STABLE_STREAM_MS) {
      lastWorking = performance.now();
      backOff.reset();
    }
    if (performance.now() - lastWorking > unreachableLimitMs)
      throw new GatewayError('the gateway has been unreachable for too long');
    await pauseFor(backOff.next(), stop);
    if (stop.aborted) throw new Error('the Pod is stopping');
  }
}

function workOf(line: string): AgentWork {
  const value: unknown = JSON.parse(line);
  if (isSession(value) && value.work !== 'wait') return value;
  throw new GatewayError('the gateway sent a plan in an unknown format');
}
