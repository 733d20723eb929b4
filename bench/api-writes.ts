/**
 * Counts of write requests, including failed ones, by verb, resource and subresource, such as `POST pods
 * binding`.
 */
export type ApiWrites = Record<string, number>;

const WRITING = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'APPLY']);

/**
 * Sums the requests in `apiserver_request_total` that have a verb of `WRITING`, without those for leases and
 * reviews.
 */
export const writesIn = (metrics: string): ApiWrites => {
  const sums: ApiWrites = {};
  for (const line of metrics.split('\n')) {
    const match = /^apiserver_request_total\{(.*)\} (\S+)$/.exec(line);
    if (match?.[1] === undefined) continue;
    const labels = Object.fromEntries(
      [...match[1].matchAll(/\b(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    );
    if (!WRITING.has(String(labels['verb']))) continue;
    if (/leases|reviews/.test(String(labels['resource']))) continue;
    const name = [labels['verb'], labels['resource'], labels['subresource']].filter(Boolean).join(' ');
    sums[name] = (sums[name] ?? 0) + Number(match[2]);
  }
  return sums;
};

export const difference = (before: ApiWrites, after: ApiWrites): ApiWrites =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, count]): [string, number] => [name, count - (before[name] ?? 0)])
      .filter(([, count]) => count > 0),
  );
