import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLocalJWKSet, jwtVerify, type JWTPayload } from 'jose';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  pipelineManifest,
  releaseSteps,
  teamName,
  UNTIL_RELEASED,
} from '#e2e/support/fixtures.ts';
import { created, pipelineApi, request } from '#e2e/support/gateway.ts';
import { apply, condition, kubectl } from '#e2e/support/kubectl.ts';
import { get } from '#e2e/support/read-objects.ts';
import { RELEASE } from '#tools/chart/install.ts';
import { testRegistry } from '#tools/cluster/addresses.ts';

const ISSUER = 'https://ci.example.org';
const DEPLOYMENTS = ['operator', 'gateway-internal', 'gateway-public'];
const TEAM = teamName('e2e-identity');
const OTHER = teamName('e2e-other');
const SUBJECT = `team:${TEAM}:pipeline:app:job:deploy`;

const CONFIG = `
job "deploy" {
  identity { audience = "verifier" }
  identity "other" { audience = "another" }
  task "log-in" {
    run "shell" {
      cmd = <<-EOT
        curl -sS --data-binary "$MILLRACE_ID_TOKEN" "$VERIFIER"; echo
        echo "whole $MILLRACE_ID_TOKEN"; printf %s "$MILLRACE_ID_TOKEN" | base64 -w 0; echo
        [ "$MILLRACE_ID_TOKEN" != "$MILLRACE_ID_TOKEN_OTHER" ] &&
          curl -sS --data-binary "$MILLRACE_ID_TOKEN_OTHER" "$VERIFIER"
        until ${UNTIL_RELEASED}; do sleep 0.2; done
      EOT
      env = { VERIFIER = "http://${testRegistry.address}:${testRegistry.port}/" }
    }
  }
}
job "plain" {
  task "look" {
    run "shell" { cmd = "printenv MILLRACE_ID_TOKEN || echo no token" }
  }
}
`;

/**
 * Stands in for a cloud that accepts one job. It verifies tokens with only the public keys that the gateway
 * publishes.
 */
class Verifier {
  readonly tokens: string[] = [];
  readonly claims: JWTPayload[] = [];
  readonly #server: Server = createServer((incoming, response) => {
    void this.#judge(incoming).then((answer) => response.end(answer));
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) =>
      this.#server.listen(testRegistry.port, testRegistry.address, resolve),
    );
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #judge(incoming: IncomingMessage): Promise<string> {
    const token = (await incoming.setEncoding('utf8').toArray()).join('');
    this.tokens.push(token);
    try {
      const { body } = await request('GET', '/.well-known/jwks.json', { authorization: '' });
      const keys = createLocalJWKSet(JSON.parse(body));
      const { payload } = await jwtVerify(token, keys, { issuer: ISSUER, audience: 'verifier' });
      this.claims.push(payload);
      return payload.sub === SUBJECT ? 'accepted' : `refused: ${payload.sub}`;
    } catch (error) {
      return `refused: ${Error.isError(error) ? error.message : 'not a token'}`;
    }
  }
}

async function setExternalUrl(url: string): Promise<void> {
  const inNamespace = ['--namespace', RELEASE.namespace];
  const names = DEPLOYMENTS.map((name) => `deployment/${RELEASE.name}-${name}`);
  await kubectl('set', 'env', ...names, ...inNamespace, `MILLRACE_EXTERNAL_URL=${url}`);
  for (const name of names) await kubectl('rollout', 'status', name, ...inNamespace, '--timeout=5m');
}

const verifier = new Verifier();
const embedded = isEmbedded ? describe : describe.skip;

embedded('an identity token', () => {
  beforeAll(async () => {
    await verifier.open();
    await createTeam(TEAM);
    await createTeam(OTHER);
  }, 600_000);
  afterAll(async () => {
    await setExternalUrl('');
    await deleteTeam(TEAM);
    await deleteTeam(OTHER);
    await verifier.close();
  }, 900_000);

  test('needs externalURL: without it, the condition of the pipeline says what to set', async () => {
    await apply(pipelineManifest(TEAM, 'app', CONFIG));
    await eventually(async () => {
      const ready = condition(await get('pipeline', 'app', '--namespace', TEAM), 'Ready');
      expect(ready).toMatchObject({ status: 'False', reason: 'NoExternalURL' });
      expect(ready.message).toContain("Set externalURL in the chart's values");
    });
  }, 600_000);

  test('is accepted by a verifier that knows the address of the gateway, and appears nowhere else', async () => {
    await setExternalUrl(ISSUER);
    await createPipeline(TEAM, 'app', CONFIG);
    const api = pipelineApi(TEAM, 'app');
    const { number } = created(await api.trigger('deploy'));
    await eventually(async () => expect(verifier.tokens).toHaveLength(2));
    const shown = await kubectl('get', 'pods,events', '--namespace', TEAM, '-o', 'yaml');
    await releaseSteps(TEAM, 'app');
    expect(await buildEnded(TEAM, 'app', 'deploy', number)).toMatchObject({ status: 'succeeded' });
    expect(verifier.claims).toMatchObject([
      { iss: ISSUER, sub: SUBJECT, team: TEAM, pipeline: 'app', job: 'deploy', build: number, attempt: 1 },
    ]);
    const log = await api.log('deploy', number);
    expect(log).toContain('accepted');
    expect(log).toContain('refused: unexpected "aud" claim value');
    expect(log).toMatch(/whole [\w-]+\.[\w-]+\.\*\*\*/);
    expect(shown).toContain('app-deploy-');
    for (const signature of verifier.tokens.map((token) => token.split('.')[2] ?? '')) {
      expect(signature).toHaveLength(86);
      for (const text of [log, shown]) {
        expect(text).not.toContain(signature);
        expect(text).not.toContain(btoa(signature).slice(4, 60));
      }
    }
    expect(shown).not.toContain('ID_TOKEN');
  }, 600_000);

  test('does not exist in a job without an identity block', async () => {
    const api = pipelineApi(TEAM, 'app');
    const { number } = created(await api.trigger('plain'));
    await buildEnded(TEAM, 'app', 'plain', number);
    expect(await api.log('plain', number)).toContain('no token');
  }, 600_000);

  test('of another team with the same names is not accepted', async () => {
    await createPipeline(OTHER, 'app', CONFIG);
    const api = pipelineApi(OTHER, 'app');
    const { number } = created(await api.trigger('deploy'));
    await eventually(async () => expect(verifier.tokens).toHaveLength(4));
    await releaseSteps(OTHER, 'app');
    await buildEnded(OTHER, 'app', 'deploy', number);
    const log = await api.log('deploy', number);
    expect(log).toContain(`refused: team:${OTHER}:pipeline:app:job:deploy`);
    expect(log).not.toContain('accepted');
  }, 600_000);
});
