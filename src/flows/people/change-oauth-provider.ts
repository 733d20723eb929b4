import { changedOrigins, providerFaults } from '#domain/access/oauth-provider.ts';
import { applyOAuthProvider, removeOAuthProvider } from './apply-oauth-provider.ts';
import type { OAuthStore, SignInMethods, StoredProvider } from './oauth-ports.ts';
import type { ObjectAnswer, ProviderObject, ProviderObjects } from './object-ports.ts';
import type { AuditedAct } from './ports.ts';
import { refuseProviderChange, refuseProviderRemoval } from './save-provider.ts';

export interface ChangeProviderPorts {
  objects: ProviderObjects;
  oauth: Pick<OAuthStore, 'withSignInMethods' | keyof SignInMethods>;
  now(): Date;
}

export type ProviderChanged =
  | ObjectAnswer<StoredProvider>
  | { answer: 'fault'; message: string }
  /** The change would leave somebody without a way to sign in; the message names them. */
  | { answer: 'lock-out'; message: string };

/** The fields of a provider that people set through the API. Millrace sets the others. */
export type WantedProvider = Omit<StoredProvider, 'secretKey' | 'byApi' | 'uid' | 'generation'>;

/*
 * The object is written first, because it survives a crash and the operator applies it. Then the same change
 * is written to the database, in one transaction with the lock-out check, so it takes effect at once on every
 * replica. If that transaction refuses, a new object is deleted again, and a changed one is restored. A
 * deleted one cannot be restored: its deletion waits until the operator can apply it.
 */

/**
 * No request to create a provider takes longer than this. So a secret that is older, and whose provider does
 * not exist, is left over.
 */
const MAX_CREATION_MS = 60_000;

/** Creates a provider. If the change would lock somebody out, deletes the object and the secret again. */
export async function createProvider(
  { wanted, secret }: { wanted: WantedProvider; secret: string },
  act: AuditedAct,
  ports: ChangeProviderPorts,
): Promise<ProviderChanged> {
  const { objects } = ports;
  const [fault] = providerFaults(wanted);
  if (fault !== undefined) return { answer: 'fault', message: fault };
  const storedSecret = await objects.saveSecret(wanted.canonical, secret);
  if (storedSecret.answer !== 'done') return storedSecret;
  const secretKey = storedSecret.value;
  const created = await objects.create({ ...wanted, secretKey, byApi: true }, act.by);
  if (created.answer !== 'done') {
    // If the API server did not answer, the object may exist and use the secret.
    if (created.answer !== 'unreachable') await objects.deleteSecret(secretKey);
    return created;
  }
  const applied = await applyOAuthProvider(created.value.provider, ports, act.by);
  if (applied.outcome === 'applied') {
    // An earlier provider of this name may have left its secret.
    await objects.deleteSecretsBefore(wanted.canonical, act.at, secretKey);
    return { answer: 'done', value: created.value.provider };
  }
  await objects.remove(created.value);
  await removeOAuthProvider(wanted.canonical, ports, act.by);
  await objects.deleteSecret(secretKey);
  return { answer: 'lock-out', message: applied.message };
}

/** Changes a provider. If `secret` is undefined, the secret stays. */
export async function updateProvider(
  canonical: string,
  { change, secret }: { change: (known: WantedProvider) => WantedProvider; secret: string | undefined },
  act: AuditedAct,
  ports: ChangeProviderPorts,
): Promise<ProviderChanged> {
  const { objects } = ports;
  const read = await readToChange(canonical, ports);
  if (read.answer !== 'done') return read;
  const before = read.value.provider;
  const { secretKey, byApi = true } = before;
  const changed: StoredProvider = { ...change(before), secretKey, byApi };
  const refused = (await refuseChange(before, changed, ports)) ?? refuseSecretMove(before, changed, secret);
  if (refused !== undefined) return refused;
  const storedSecret =
    secret === undefined
      ? { answer: 'done' as const, value: before.secretKey }
      : await objects.saveSecret(canonical, secret);
  if (storedSecret.answer !== 'done') return storedSecret;
  const written = await objects.replace(read.value, { ...changed, secretKey: storedSecret.value }, act.by);
  if (written.answer !== 'done') {
    if (written.answer !== 'unreachable' && secret !== undefined)
      await objects.deleteSecret(storedSecret.value);
    return written;
  }
  return await applyChange(before, written.value, act, ports);
}

async function readToChange(
  canonical: string,
  { objects }: ChangeProviderPorts,
): Promise<ObjectAnswer<ProviderObject>> {
  const read = await objects.read(canonical);
  if (read.answer !== 'done' || !read.value.deleting) return read;
  return {
    answer: 'refused',
    message: 'The provider is being deleted. Wait until it is gone, then create it again.',
  };
}

/**
 * Refuses URLs on another server unless the request contains the client secret. Otherwise somebody who does
 * not know the secret could have it sent to a server of their own.
 */
function refuseSecretMove(
  before: StoredProvider,
  changed: StoredProvider,
  secret: string | undefined,
): ProviderChanged | undefined {
  const changedUrls = secret === undefined ? changedOrigins(before, changed) : [];
  if (changedUrls.length === 0) return undefined;
  const message =
    `The new ${changedUrls.join(' and ')} would send the client secret to another server: ` +
    'send client_secret again with this change.';
  return { answer: 'fault', message };
}

async function refuseChange(
  before: StoredProvider,
  changed: StoredProvider,
  ports: ChangeProviderPorts,
): Promise<ProviderChanged | undefined> {
  if (before.type !== changed.type) {
    const typeFault = 'The type of a provider cannot be changed: create another provider.';
    return { answer: 'fault', message: typeFault };
  }
  const [fault] = providerFaults(changed);
  if (fault !== undefined) return { answer: 'fault', message: fault };
  const message = await refuseProviderChange(changed, ports.oauth);
  return message === undefined ? undefined : { answer: 'lock-out', message };
}

async function applyChange(
  before: StoredProvider,
  written: ProviderObject,
  { by, at }: AuditedAct,
  ports: ChangeProviderPorts,
): Promise<ProviderChanged> {
  const { objects } = ports;
  const { canonical, secretKey } = written.provider;
  const applied = await applyOAuthProvider(written.provider, ports, by);
  if (applied.outcome === 'applied') {
    await objects.deleteSecretsBefore(canonical, at, secretKey);
    return { answer: 'done', value: written.provider };
  }
  const restored = await objects.replace(written, before, by);
  if (restored.answer === 'done') await applyOAuthProvider(restored.value.provider, ports, by);
  return { answer: 'lock-out', message: applied.message };
}

/**
 * Deletes a provider and its secrets. Can be repeated: if the provider is gone, deletes secrets that are
 * left.
 */
export async function deleteProvider(
  canonical: string,
  act: AuditedAct,
  ports: ChangeProviderPorts,
): Promise<ProviderChanged> {
  const { objects, oauth } = ports;
  const read = await objects.read(canonical);
  if (read.answer === 'unknown') {
    // An earlier request may have left secrets. A newer secret may be that of a provider that is being
    // created.
    const orphansBefore = new Date(act.at.getTime() - MAX_CREATION_MS);
    return secretRemains(await objects.deleteSecretsBefore(canonical, orphansBefore)) ?? read;
  }
  if (read.answer !== 'done') return read;
  const message = await refuseProviderRemoval(canonical, oauth);
  if (message !== undefined) return { answer: 'lock-out', message };
  const removed = await objects.remove(read.value);
  if (removed.answer !== 'done' && removed.answer !== 'unknown') return removed;
  const applied = await removeOAuthProvider(canonical, ports, act.by);
  if (applied.outcome === 'refused') {
    return {
      answer: 'lock-out',
      message: `${applied.message} Until then, the deletion of the provider waits.`,
    };
  }
  const remains = secretRemains(await objects.deleteSecretsBefore(canonical, act.at));
  return remains ?? { answer: 'done', value: read.value.provider };
}

function secretRemains(deletion: ObjectAnswer): ProviderChanged | undefined {
  if (deletion.answer === 'done') return undefined;
  const cause = 'message' in deletion ? ` ${deletion.message}` : '';
  const message = `The provider is deleted. Its client secret remains: delete the provider again.${cause}`;
  return { answer: 'unreachable', message };
}
