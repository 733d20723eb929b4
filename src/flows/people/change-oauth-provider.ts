import { changedOrigins, providerFaults } from '#domain/access/oauth-provider.ts';
import { applyOAuthProvider, removeOAuthProvider } from './apply-oauth-provider.ts';
import type { OAuthStore, SignInMethods, StoredProvider } from './oauth-ports.ts';
import type { ObjectAnswer, ProviderObject, ProviderObjects } from './object-ports.ts';
import type { Act } from './ports.ts';
import { refuseProviderChange, refuseProviderRemoval } from './save-provider.ts';

export interface ChangeProviderPorts {
  objects: ProviderObjects;
  oauth: Pick<OAuthStore, 'withSignInMethods' | keyof SignInMethods>;
  now(): Date;
}

export type ProviderChanged =
  | ObjectAnswer<StoredProvider>
  | { answer: 'fault'; message: string }
  /** Somebody could no longer sign in; the message names them. */
  | { answer: 'lock-out'; message: string };

/** A provider as requested: without the place of its secret. */
export type WantedProvider = Omit<StoredProvider, 'secretKey' | 'byApi' | 'uid' | 'generation'>;

/*
 * The object is written first, because it survives a crash and the operator applies it. Then the same change
 * is written to the database, in one transaction with the lock-out check, so it takes effect at once on every
 * replica. If that transaction refuses, the object is restored.
 */

export async function createProvider(
  { wanted, secret }: { wanted: WantedProvider; secret: string },
  act: Act,
  ports: ChangeProviderPorts,
): Promise<ProviderChanged> {
  const { objects } = ports;
  const [fault] = providerFaults(wanted);
  if (fault !== undefined) return { answer: 'fault', message: fault };
  const stored = await objects.saveSecret(wanted.canonical, secret);
  if (stored.answer !== 'done') return stored;
  const secretKey = stored.value;
  const made = await objects.create({ ...wanted, secretKey, byApi: true }, act.by);
  if (made.answer !== 'done') {
    // After no answer the object may exist all the same, and use the secret.
    if (made.answer !== 'unreachable') await objects.deleteSecret(secretKey);
    return made;
  }
  const applied = await applyOAuthProvider(made.value.provider, ports, act.by);
  if (applied.outcome === 'applied') return { answer: 'done', value: made.value.provider };
  await objects.remove(made.value);
  await removeOAuthProvider(wanted.canonical, ports, act.by);
  await objects.deleteSecret(secretKey);
  return { answer: 'lock-out', message: applied.message };
}

/** Absent fields stay as they are, the secret too. */
export async function updateProvider(
  canonical: string,
  { change, secret }: { change: (known: WantedProvider) => WantedProvider; secret: string | undefined },
  act: Act,
  ports: ChangeProviderPorts,
): Promise<ProviderChanged> {
  const { objects } = ports;
  const read = await readToChange(canonical, ports);
  if (read.answer !== 'done') return read;
  const before = read.value.provider;
  const { secretKey, byApi = true } = before;
  const wanted: StoredProvider = { ...change(before), secretKey, byApi };
  const refused = (await refuseChange(before, wanted, ports)) ?? refuseMove(before, wanted, secret);
  if (refused !== undefined) return refused;
  const stored =
    secret === undefined
      ? { answer: 'done' as const, value: before.secretKey }
      : await objects.saveSecret(canonical, secret);
  if (stored.answer !== 'done') return stored;
  const written = await objects.replace(read.value, { ...wanted, secretKey: stored.value }, act.by);
  if (written.answer !== 'done') {
    if (written.answer !== 'unreachable' && secret !== undefined) await objects.deleteSecret(stored.value);
    return written;
  }
  return await carryOut(before, written.value, act, ports);
}

async function readToChange(
  canonical: string,
  { objects }: ChangeProviderPorts,
): Promise<ObjectAnswer<ProviderObject>> {
  const read = await objects.read(canonical);
  if (read.answer !== 'done' || !read.value.deleting) return read;
  return { answer: 'refused', message: 'Its deletion is under way.' };
}

function refuseMove(
  before: StoredProvider,
  wanted: StoredProvider,
  secret: string | undefined,
): ProviderChanged | undefined {
  const moved = secret === undefined ? changedOrigins(before, wanted) : [];
  if (moved.length === 0) return undefined;
  const message =
    `The client secret would go to another server by ${moved.join(' and ')}: ` +
    'send client_secret again with this change.';
  return { answer: 'fault', message };
}

async function refuseChange(
  before: StoredProvider,
  wanted: StoredProvider,
  ports: ChangeProviderPorts,
): Promise<ProviderChanged | undefined> {
  const [fault] = [
    ...(before.type === wanted.type ? [] : ['The type of a provider cannot be changed: make another one.']),
    ...providerFaults(wanted),
  ];
  if (fault !== undefined) return { answer: 'fault', message: fault };
  const message = await refuseProviderChange(wanted, ports.oauth);
  return message === undefined ? undefined : { answer: 'lock-out', message };
}

async function carryOut(
  before: StoredProvider,
  written: ProviderObject,
  { by, at }: Act,
  ports: ChangeProviderPorts,
): Promise<ProviderChanged> {
  const { objects } = ports;
  const { canonical, secretKey } = written.provider;
  const applied = await applyOAuthProvider(written.provider, ports, by);
  if (applied.outcome === 'applied') {
    await objects.deleteSecretsBefore(canonical, at, secretKey);
    return { answer: 'done', value: written.provider };
  }
  const back = await objects.replace(written, before, by);
  if (back.answer === 'done') await applyOAuthProvider(back.value.provider, ports, by);
  return { answer: 'lock-out', message: applied.message };
}

export async function deleteProvider(
  canonical: string,
  act: Act,
  ports: ChangeProviderPorts,
): Promise<ProviderChanged> {
  const { objects, oauth } = ports;
  const read = await objects.read(canonical);
  if (read.answer !== 'done') return read;
  const message = await refuseProviderRemoval(canonical, oauth);
  if (message !== undefined) return { answer: 'lock-out', message };
  const gone = await objects.remove(read.value);
  if (gone.answer !== 'done' && gone.answer !== 'unknown') return gone;
  const applied = await removeOAuthProvider(canonical, ports, act.by);
  if (applied.outcome === 'refused') {
    return { answer: 'lock-out', message: `${applied.message} Its deletion waits until then.` };
  }
  await objects.deleteSecretsBefore(canonical, act.at);
  return { answer: 'done', value: read.value.provider };
}
