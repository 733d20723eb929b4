import { refuseProviderLoss } from '#domain/access/lock-out.ts';
import { isOutdated, issuerOf, mayLockOut, providerChange } from '#domain/access/provider-change.ts';
import type { OAuthStore, SignInMethods, SignInMethodsAnswer, StoredProvider } from './oauth-ports.ts';
import type { AuditedAct } from './ports.ts';
import { enabledSignInOf } from './sign-in-methods.ts';

/**
 * Changes of sign-in methods wait for each other, so that two changes that are harmless alone cannot lock
 * anybody out together.
 */
type Store = Pick<OAuthStore, 'withSignInMethods'>;

/** Saves a provider, unless the database has a newer generation of its object. */
export async function saveProvider(
  provider: StoredProvider,
  act: AuditedAct,
  oauth: Store,
): Promise<SignInMethodsAnswer> {
  return await oauth.withSignInMethods(async (tx): Promise<SignInMethodsAnswer> => {
    const before = await providerNamed(provider.canonical, tx);
    if (isOutdated(before, provider)) return { answer: 'done' };
    const message = await refuseIfLocksOut(before, provider, tx);
    if (message !== undefined) return { answer: 'refused', message };
    const change = providerChange(before, provider);
    if (change === 'none') return { answer: 'done' };
    await tx.saveProvider(provider, issuerOf(provider));
    if (change !== 'generation') await tx.recordProvider(provider.canonical, `provider.${change}`, act);
    return { answer: 'done' };
  });
}

export async function removeProvider(
  canonical: string,
  act: AuditedAct,
  oauth: Store,
): Promise<SignInMethodsAnswer> {
  return await oauth.withSignInMethods(async (tx): Promise<SignInMethodsAnswer> => {
    const message = await refuseProviderRemoval(canonical, tx);
    if (message !== undefined) return { answer: 'refused', message };
    if (!(await tx.removeProvider(canonical))) return { answer: 'unknown' };
    await tx.recordProvider(canonical, 'provider.deleted', act);
    return { answer: 'done' };
  });
}

/** Why `saveProvider` would refuse now. `saveProvider` checks again. */
export async function refuseProviderChange(
  provider: StoredProvider,
  methods: SignInMethods,
): Promise<string | undefined> {
  return await refuseIfLocksOut(await providerNamed(provider.canonical, methods), provider, methods);
}

async function providerNamed(name: string, methods: SignInMethods): Promise<StoredProvider | undefined> {
  return (await methods.providers()).find(({ canonical }) => canonical === name);
}

async function refuseIfLocksOut(
  before: StoredProvider | undefined,
  changed: StoredProvider,
  methods: SignInMethods,
): Promise<string | undefined> {
  return mayLockOut(before, changed) ? await refuseProviderRemoval(changed.canonical, methods) : undefined;
}

/** Why `removeProvider` would refuse now. `removeProvider` checks again. */
export async function refuseProviderRemoval(
  canonical: string,
  methods: SignInMethods,
): Promise<string | undefined> {
  const users = await methods.usersLinkedWith(canonical);
  return refuseProviderLoss(users, canonical, await enabledSignInOf(methods));
}
