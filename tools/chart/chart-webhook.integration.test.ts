import { beforeAll, describe, expect, test } from '@jest/globals';
import type { V1Container, V1PodSpec, V1PolicyRule } from '@kubernetes/client-node';
import { ADMISSION_PATH } from '#adapters/http/admission/server.ts';
import { operatorConfig, type Source } from '#config';
import { manifests, type RenderedObject } from './render.ts';

const CERT_MANAGER = { 'webhook.certManager.enabled': true };
let standard: RenderedObject[];
let certManager: RenderedObject[];

beforeAll(async () => {
  standard = await manifests();
  certManager = await manifests(CERT_MANAGER);
}, 600_000);

const find = (objects: RenderedObject[], kind: string, name: string): RenderedObject => {
  const found = objects.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};
const podSpec = (value: unknown): V1PodSpec => JSON.parse(JSON.stringify(value));
const podsOf = (objects: RenderedObject[]): { name: string; pod: V1PodSpec }[] =>
  objects.flatMap((manifest) => {
    const { kind, metadata } = manifest;
    if (kind === 'Pod') return [{ name: metadata.name, pod: podSpec(manifest.spec) }];
    const template = manifest.spec?.['template'];
    if (typeof template !== 'object' || template === null || !('spec' in template)) return [];
    return [{ name: metadata.name, pod: podSpec(template.spec) }];
  });
const podOf = (objects: RenderedObject[], name: string): V1PodSpec => {
  const found = podsOf(objects).find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`there are no Pods ${name}`);
  return found.pod;
};
const rulesOf = (manifest: RenderedObject): V1PolicyRule[] => JSON.parse(JSON.stringify(manifest['rules']));

/** The configuration of a process in the Pod: its environment, and the files from its Secrets. */
function sourceOf(objects: RenderedObject[], name: string): Source {
  const pod = podOf(objects, name);
  const [container] = pod.containers;
  if (container === undefined) throw new Error(`${name} has no container`);
  const environment = Object.fromEntries(
    (container.env ?? []).map((variable) => [
      variable.name,
      variable.value ?? `from ${variable.valueFrom?.fieldRef?.fieldPath ?? ''}`,
    ]),
  );
  return { environment, readText: (path) => secretText(pod, container, path) };
}

function secretText(pod: V1PodSpec, container: V1Container, path: string): string {
  const mount = container.volumeMounts?.find(({ mountPath }) => path.startsWith(`${mountPath}/`));
  const secret = pod.volumes?.find(({ name }) => name === mount?.name)?.secret;
  const item = secret?.items?.find((candidate) => `${mount?.mountPath ?? ''}/${candidate.path}` === path);
  if (item === undefined) throw new Error(`no volume has ${path}`);
  return item.key.includes('url') || item.key === 'direct'
    ? 'postgres://u:p@h/d'
    : Buffer.alloc(32, 7).toString('base64url');
}

const configurationIn = (objects: RenderedObject[]): RenderedObject =>
  find(objects, 'ValidatingWebhookConfiguration', 'millrace-webhook');
const rightsOf = (objects: RenderedObject[]): V1PolicyRule[] =>
  rulesOf(find(objects, 'ClusterRole', 'millrace-operator')).filter((rule) =>
    rule.apiGroups?.includes('admissionregistration.k8s.io'),
  );

describe('the admission webhook', () => {
  test('blocks nothing while it is unavailable', () => {
    const [webhook, ...others] = webhooksIn(configurationIn(standard));
    expect(others).toEqual([]);
    expect(webhook).toMatchObject({ failurePolicy: 'Ignore', sideEffects: 'None', timeoutSeconds: 3 });
    expect(webhook?.clientConfig).not.toHaveProperty('caBundle');
  });

  test('is called through its Service at the port that the operator opens', () => {
    const operator = operatorConfig(sourceOf(standard, 'millrace-operator')).config;
    expect(operator?.webhook).toEqual({ listen: { host: '0.0.0.0', port: 10_250 }, certificate: 'own' });
    const [container] = podOf(standard, 'millrace-operator').containers;
    expect(container?.ports).toContainEqual({ name: 'webhook', containerPort: 10_250, protocol: 'TCP' });
    const [port] = webhooksIn(configurationIn(standard)).map(({ clientConfig }) => clientConfig.service);
    expect(port).toEqual({
      namespace: 'millrace-system',
      name: 'millrace-webhook',
      path: ADMISSION_PATH,
      port: 443,
    });
    expect(find(standard, 'Service', 'millrace-webhook').spec).toMatchObject({
      selector: { 'app.kubernetes.io/component': 'operator' },
      ports: [{ port: 443, targetPort: 'webhook' }],
    });
  });

  test('has a certificate of the operator, which may change only its own configuration', () => {
    expect(configurationIn(standard).metadata).not.toHaveProperty('annotations');
    expect(rightsOf(standard)).toEqual([
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingwebhookconfigurations'],
        resourceNames: ['millrace-webhook'],
        verbs: ['get', 'patch'],
      },
    ]);
  });

  test('may have a certificate of cert-manager, and then the operator may change no configuration', () => {
    expect(operatorConfig(sourceOf(certManager, 'millrace-operator')).config?.webhook).toMatchObject({
      certificate: 'cert-manager',
    });
    expect(rightsOf(certManager)).toEqual([]);
    expect(configurationIn(certManager).metadata).toMatchObject({
      annotations: { 'cert-manager.io/inject-ca-from': 'millrace-system/millrace-webhook' },
    });
    expect(find(certManager, 'Certificate', 'millrace-webhook').spec).toMatchObject({
      secretName: 'millrace-webhook-tls',
      dnsNames: expect.arrayContaining(['millrace-webhook.millrace-system.svc']),
      issuerRef: { kind: 'Issuer', name: 'millrace-webhook' },
    });
    find(certManager, 'Issuer', 'millrace-webhook');
  });

  test('may have a certificate of a configured issuer', async () => {
    const issuerRef = { name: 'company', kind: 'ClusterIssuer', group: 'cert-manager.io' };
    const objects = await manifests({ ...CERT_MANAGER, 'webhook.certManager.issuerRef': issuerRef });
    expect(objects.filter(({ kind }) => kind === 'Issuer')).toEqual([]);
    expect(find(objects, 'Certificate', 'millrace-webhook').spec).toMatchObject({ issuerRef });
  });

  test('is absent if it is disabled', async () => {
    const off = await manifests({ 'webhook.enabled': false });
    expect(operatorConfig(sourceOf(off, 'millrace-operator')).config?.webhook).toBeUndefined();
    expect(rightsOf(off)).toEqual([]);
    expect(off.filter(({ metadata }) => metadata.name.includes('webhook'))).toEqual([]);
  });
});

interface AdmissionWebhook {
  clientConfig: { service: object };
  [field: string]: unknown;
}

function webhooksIn({ webhooks }: RenderedObject): AdmissionWebhook[] {
  return JSON.parse(JSON.stringify(webhooks));
}
