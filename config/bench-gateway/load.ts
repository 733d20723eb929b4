import autocannon from 'autocannon';
import type { Request } from 'autocannon';

export interface Load {
  /** Of the answers that were expected; any other is an error of the measurement. */
  perSecond: number;
  answers: number;
  /** Milliseconds; autocannon counts whole ones. */
  p50: number;
  p99: number;
  most: number;
}

export interface Loading {
  connections: number;
  /** How long, or how many requests. */
  seconds?: number;
  amount?: number;
  requests: Request[];
  expected?: 'refusals';
}

/** Asks as fast as the answers come, and fails when one is not as expected. */
export async function load(
  base: string,
  { connections, seconds, amount, requests, expected }: Loading,
): Promise<Load> {
  const start = performance.now();
  const result = await autocannon({
    url: base,
    connections,
    requests,
    ...(seconds !== undefined && { duration: seconds }),
    ...(amount !== undefined && { amount }),
  });
  const took = (performance.now() - start) / 1000;
  const { errors, timeouts, non2xx, latency } = result;
  const [good, bad] = expected === 'refusals' ? [non2xx, result['2xx']] : [result['2xx'], non2xx];
  if (errors + timeouts + bad > 0)
    throw new Error(`${errors} errors, ${timeouts} without an answer, ${bad} other answers from ${base}`);
  return {
    answers: good,
    perSecond: good / (amount === undefined ? result.duration : took),
    p50: latency.p50,
    p99: latency.p99,
    most: latency.max,
  };
}
