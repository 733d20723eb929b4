import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { rows } from '#adapters/database/connection/pool.ts';
import { WEBHOOK_KEY } from '#testing/stores/stores.ts';
import { startControl } from './control.ts';
import type { ControlTask } from './controls.ts';
import { formatCost, loadCounted, type LoadWithCost, type MeasuredServer } from './count-cost.ts';
import { load, type LoadResult, type RequestToSend } from './load.ts';
import { digits, verdict, type Part, type PartEnvironment } from './part.ts';
import { repeatBeside } from './repeat-beside.ts';
import { beginAllChecks, makeResources, scopesToCheck, type ResourceWithWebhook } from './resources.ts';

const RESOURCES = 20_000;
/** Resources that get webhooks again and again, while their checks begin up to ten times a second. */
const REPEATED_RESOURCES = 250;
const CHECKS_BEGIN_EVERY_MS = 100;
/**
 * Forges use many connections. This is also the largest number of webhooks in one transaction: each
 * transaction commits those that arrived during the previous one.
 */
const CONNECTIONS = 128;
const SECONDS = 5;
const KILLED_AFTER_MS = 500;
const ROUNDS = 3;
const AIM = { perSecond: 12_000, p99: 50, alone: 10 };
/** About the size of a push event. */
const BODY = JSON.stringify({ ref: 'refs/heads/main', commits: 'x'.repeat(5300) });

/**
 * Webhooks compared with minimal servers (see controls.ts), and how many acknowledged webhooks `kill -9`
 * loses.
 */
export const webhooks: Part = {
  name: 'webhooks',
  async measure(environment) {
    const resources = await makeResources(environment, RESOURCES);
    const settings = await environment.pool.one(rows<{ fsync: string; commit: string }>()`
      SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit`);
    await beginAllChecks(environment);
    const gateway = await environment.startGateway();
    await warmUp(gateway, resources);
    const eachOnce = await measureEachOnce(environment, gateway, resources);
    const repeated = await measureRepeated(environment, gateway, resources);
    const alone = await load(gateway.base, {
      connections: 1,
      seconds: 2,
      requests: resources.slice(0, 50).map(signedWebhook),
    });
    const unknown = await load(gateway.base, {
      connections: 1,
      seconds: 2,
      requests: [webhookOfUnknownToken()],
      status: 404,
    });
    await gateway.stop();
    return [
      [`webhooks per second, ${RESOURCES} resources, each once`, ...figureAndVerdict(eachOnce)],
      [COST_ROW, formatCost(eachOnce.costPerAnswer), ''],
      [`webhooks per second, ${REPEATED_RESOURCES} resources again and again`, ...figureAndVerdict(repeated)],
      [COST_ROW, formatCost(repeated.costPerAnswer), ''],
      ...(await measureControls(environment, resources)),
      [
        'one webhook at a time, answered',
        figure(alone),
        verdict(`p99 ≤ ${AIM.alone} ms`, alone.p99 <= AIM.alone),
      ],
      ['… with an unknown token', figure(unknown), ''],
      [`Postgres: fsync, synchronous_commit`, `${settings.fsync}, ${settings.commit}`, 'on, on'],
      ...(await measureLossOnKill(environment, resources)),
    ];
  },
};

const COST_ROW = '… processor time for each: gateway, Postgres, load';
const figure = ({ perSecond, p50, p99 }: LoadResult): string =>
  `${perSecond.toFixed(0)}/s, p50 ${digits(p50)} ms, p99 ${digits(p99)} ms`;
const figureAndVerdict = (measured: LoadResult): string[] => [
  figure(measured),
  verdict(
    `≥ ${AIM.perSecond}/s, p99 ≤ ${AIM.p99} ms`,
    measured.perSecond >= AIM.perSecond && measured.p99 <= AIM.p99,
  ),
];

function signedWebhook({ token, secret }: ResourceWithWebhook): RequestToSend {
  const signature = createHmac('sha256', secret).update(BODY).digest('hex');
  return {
    method: 'POST',
    path: `/webhooks/${token}`,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
    body: BODY,
  };
}

const webhookOfUnknownToken = (): RequestToSend =>
  signedWebhook({ scope: 0, token: 'A'.repeat(43), secret: 'none' });

/** Sends every webhook once, which is enough for V8 to compile the code even on a slow machine. */
async function warmUp({ base }: MeasuredServer, resources: ResourceWithWebhook[]): Promise<void> {
  await load(base, { connections: CONNECTIONS, requests: resources.map(signedWebhook) });
}

async function measureEachOnce(
  environment: PartEnvironment,
  server: MeasuredServer,
  resources: ResourceWithWebhook[],
): Promise<LoadWithCost> {
  const requests = resources.map(signedWebhook);
  await beginAllChecks(environment);
  const measured = await loadCounted(server, { connections: CONNECTIONS, requests });
  const found = await scopesToCheck(environment);
  if (found.size !== resources.length)
    throw new Error(`${resources.length} webhooks requested ${found.size} checks.`);
  return measured;
}

async function measureRepeated(
  environment: PartEnvironment,
  server: MeasuredServer,
  resources: ResourceWithWebhook[],
): Promise<LoadWithCost> {
  const requests = resources.slice(0, REPEATED_RESOURCES).map(signedWebhook);
  return await repeatBeside(
    async () => await loadCounted(server, { connections: CONNECTIONS, seconds: SECONDS, requests }),
    { repeat: async () => await beginAllChecks(environment), pauseMs: CHECKS_BEGIN_EVERY_MS },
  );
}

/** What minimal servers reach on this machine under the same load. */
async function measureControls(
  environment: PartEnvironment,
  resources: ResourceWithWebhook[],
): Promise<string[][]> {
  const { databaseUrl } = environment;
  const requests = resources.slice(0, REPEATED_RESOURCES).map(signedWebhook);
  const lines: string[][] = [];
  const measure = async (
    name: string,
    task: ControlTask,
    work: (control: MeasuredServer) => Promise<LoadWithCost>,
  ) => {
    const control = await startControl(task);
    await warmUp(control, resources);
    const measured = await work(control);
    lines.push(
      [name, figure(measured), ''],
      ['… … processor time for each', formatCost(measured.costPerAnswer), ''],
    );
    await control.stop();
  };
  const loaded = async (control: MeasuredServer): Promise<LoadWithCost> =>
    await loadCounted(control, { connections: CONNECTIONS, seconds: SECONDS, requests });
  await measure('… a bare Fastify route that does nothing', {}, loaded);
  await measure('… a bare route that inserts a row for each, with pg', { databaseUrl }, loaded);
  const bare = { databaseUrl, webhookKey: WEBHOOK_KEY.toString('base64url') };
  await measure(`… no framework, the SQL statement of the gateway: ${RESOURCES} resources`, bare, (control) =>
    measureEachOnce(environment, control, resources),
  );
  await measure(`… … ${REPEATED_RESOURCES} resources`, bare, (control) =>
    measureRepeated(environment, control, resources),
  );
  return lines;
}

/** Every webhook has a separate resource, so a lost one shows: its resource has no requested check. */
async function measureLossOnKill(
  environment: PartEnvironment,
  resources: ResourceWithWebhook[],
): Promise<string[][]> {
  const requests = resources.map(signedWebhook);
  let [acknowledged, lost] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    await beginAllChecks(environment);
    const gateway = await environment.startGateway();
    const accepted = new Set<number>();
    const loading = load(gateway.base, {
      connections: CONNECTIONS,
      requests,
      onAnswer: (index, status) => void (status === 202 && accepted.add(index)),
    });
    await sleep(KILLED_AFTER_MS * (1 + round / 2));
    await gateway.kill();
    await loading;
    const found = await scopesToCheck(environment);
    acknowledged += accepted.size;
    lost += [...accepted].filter((index) => !found.has(resources[index]?.scope ?? 0)).length;
  }
  return [
    [`kill -9 under load, ${ROUNDS} times: acknowledged`, String(acknowledged), ''],
    ['… of them lost', String(lost), verdict('0', lost === 0 && acknowledged > 0)],
  ];
}
