import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '#defined';
import { RELEASE } from '#tools/chart/install.ts';
import { kubectl } from './kubectl.ts';

/** A token for the suite's own installation; no other installation accepts it. */
export const ADMIN_TOKEN = 'end-to-end-suite-administrator-token';

/** Cached after the first request. */
let base: string | undefined;

/** The address of the public gateway's Service, reachable from this machine when the cluster runs on it. */
export const baseUrl = async (): Promise<string> => {
  const address = 'jsonpath=http://{.spec.clusterIP}:{.spec.ports[0].port}';
  const service = `service/${RELEASE.name}-public`;
  base ??= await kubectl('get', service, '--namespace', RELEASE.namespace, '-o', address);
  return base;
};

export interface GatewayAnswer {
  status: number;
  body: string;
  headers: Headers;
}

/** The answer of a gateway whose event loop is too busy. Such a request has had no effect. */
const OVERLOADED = 'The server is overloaded.';
const MAX_OVERLOAD_MS = 120_000;

type RequestParts = Record<string, string> & { body?: string };

/** Sends a request to the public gateway, by default as the administrator. */
export const requestOnce = async (
  method: string,
  path: string,
  { body, ...headers }: RequestParts = {},
): Promise<GatewayAnswer> => {
  const answer = await fetch(`${await baseUrl()}${path}`, {
    method,
    ...defined({ body }),
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
    signal: AbortSignal.timeout(120_000),
  });
  return { status: answer.status, body: await answer.text(), headers: answer.headers };
};

/** As `requestOnce`, but sends the request again while the gateway is overloaded. */
export const request = async (
  method: string,
  path: string,
  parts: RequestParts = {},
): Promise<GatewayAnswer> => {
  const end = Date.now() + MAX_OVERLOAD_MS;
  for (;;) {
    const answer = await requestOnce(method, path, parts);
    // Any other 503 may come after the request has taken effect.
    const isOverloaded = answer.status === 503 && answer.body.includes(OVERLOADED);
    if (!isOverloaded || Date.now() > end) return answer;
    await sleep(1000);
  }
};

/** The `data` of a JSON answer; throws unless the status is 2xx. */
export const data = async <T>(method: string, path: string): Promise<T> => {
  const answer = await request(method, path);
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body}`);
  const body: { data: T } = JSON.parse(answer.body);
  return body.data;
};

export interface Build {
  number: string;
  status: string;
  reason?: string;
  message?: string;
  attempt: number;
  created_at: string;
  pod_created_at?: string;
  pod_scheduled_at?: string;
  containers_started_at?: string;
  started_at?: string;
  ended_at?: string;
  inputs?: { resource: string; version: Record<string, string> }[];
  steps?: {
    name: string;
    kind: string;
    status: string;
    started_at?: string;
    exit_code?: number;
    metadata?: { name: string; value: string }[];
  }[];
}

/** The build that a trigger created; throws unless the status is 201. */
export const created = (answer: GatewayAnswer): Build => {
  if (answer.status !== 201) throw new Error(`the trigger answered ${answer.status}: ${answer.body}`);
  const body: { data: Build } = JSON.parse(answer.body);
  return body.data;
};

/** API calls for one pipeline's jobs, builds and resources. */
export const pipelineApi = (team: string, pipeline: string) => {
  const path = `/teams/${team}/pipelines/${pipeline}`;
  return {
    path,
    trigger: (job: string): Promise<GatewayAnswer> => request('POST', `${path}/jobs/${job}/trigger`),
    /** Actions of people: `jobs/work/pause`, `jobs/work/builds/1/cancel` and the like. */
    post: (action: string, body?: object): Promise<GatewayAnswer> =>
      request(
        'POST',
        `${path}/${action}`,
        body === undefined ? {} : { body: JSON.stringify(body), 'content-type': 'application/json' },
      ),
    check: (resource: string): Promise<GatewayAnswer> =>
      request('POST', `${path}/resources/${resource}/check`),
    builds: (job: string): Promise<Build[]> => data('GET', `${path}/jobs/${job}/builds`),
    build: (job: string, number: string): Promise<Build> =>
      data('GET', `${path}/jobs/${job}/builds/${number}`),
    log: async (job: string, number: string): Promise<string> =>
      (await request('GET', `${path}/jobs/${job}/builds/${number}/logs`, { accept: 'text/plain' })).body,
    versions: (
      resource: string,
    ): Promise<{ id: number; version: Record<string, string>; created_at: string }[]> =>
      data('GET', `${path}/resources/${resource}/versions?limit=100`),
    resource: (
      resource: string,
    ): Promise<{
      name: string;
      webhook_token?: string;
      webhook_secret?: string;
      pinned_version_id?: number;
    }> => data('GET', `${path}/resources/${resource}`),
  };
};
