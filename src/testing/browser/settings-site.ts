import type { Page } from 'playwright-core';
import { workerStore } from '#adapters/database/people/team-workers.ts';
import { saveProvider } from '#flows/people/save-provider.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { appliedObjects } from '#testing/people/applied-objects.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { toSave, type TestStores } from '#testing/stores/stores.ts';
import { openSite } from './site.ts';

/** A text that would run as a script if a page put it into its HTML unescaped. */
export const EVIL = '"><img src=x onerror=alert(1)>';

/** Accounts with their roles in `main`. */
export const PEOPLE = { adm: 'admin', mai: 'maintain', wri: 'write', rea: 'read' } as const;

export type SettingsSite = Awaited<ReturnType<typeof openSettingsSite>>;

/**
 * A site with two teams: `main`, which the API created, and `fixed`, which a manifest manages. The display
 * names, the group's claim and the node selector that `fill` saves are `EVIL`.
 */
export async function openSettingsSite() {
  const sealed = { ciphertext: Buffer.from('x'), wrappedKey: Buffer.from('y'), keyId: 'test' };
  const site = await openSite<Gateway>(ORIGIN, async (stores, options) => {
    const objects = appliedObjects(stores);
    await objects.teams.create('main', 'root');
    return await openGateway(stores, { ...options, objects, seal: async () => sealed });
  });
  const { stores, gateway } = site;
  await fill(stores);
  for (const [name, role] of Object.entries(PEOPLE)) await gateway.account(name, { teams: { main: role } });
  await gateway.account('eve', {});
  await gateway.account('root', { globalAdmin: true, password: 'correct horse battery' });
  await gateway.account('fix', { teams: { fixed: 'admin' } });
  return { ...site, signIn: async (page: Page, user: string) => await signIn(gateway, page, user) };
}

async function fill({ pool, teams, pipelines, access }: TestStores): Promise<void> {
  await teams.saveTeam({
    name: 'fixed',
    namespace: 'fixed',
    displayName: EVIL,
    runningBuilds: 3,
    defaultTimeoutSeconds: 5400,
    buildLogBytes: 1024 ** 2,
    members: [{ user: 'fix', role: 'admin' }],
    groups: [{ claim: EVIL, provider: 'company', role: 'read' }],
    debug: false,
  });
  const workers = [
    { nodeSelector: {}, nodes: 2 },
    { tag: 'gpu', nodeSelector: { pool: EVIL }, nodes: 0 },
  ];
  await workerStore({ pool }).saveWorkers(new Map([['fixed', workers]]));
  await pipelines.savePipeline(toSave(samplePipeline()));
  const provider = {
    canonical: 'company',
    displayName: EVIL,
    type: 'OIDC' as const,
    clientId: 'millrace',
    issuerUrl: 'https://id.example.org',
    groupsClaim: 'groups',
    enabled: true,
    secretKey: 'known',
  };
  await saveProvider(provider, { by: 'manifest', at: new Date() }, access.oauth);
}

/** Gives the browser a session of the account. */
async function signIn(gateway: Gateway, page: Page, user: string): Promise<void> {
  const value = await gateway.session(user);
  const cookie = { name: '__Host-millrace-session', value, domain: new URL(ORIGIN).host, path: '/' };
  await page.context().addCookies([{ ...cookie, secure: true, httpOnly: true }]);
}
