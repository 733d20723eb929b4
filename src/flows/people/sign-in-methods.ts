import { refuseLocalLoss, refuseUnlink, type EnabledSignIn } from '#domain/access/lock-out.ts';
import type { OAuthStore, SignInMethods, SignInMethodsAnswer } from './oauth-ports.ts';
import type { AuditedAct } from './ports.ts';

type Store = Pick<OAuthStore, 'withSignInMethods'>;

/** Enables or disables sign-in by password. */
export async function setLocalSignIn(
  local: boolean,
  act: AuditedAct,
  oauth: Store,
): Promise<SignInMethodsAnswer> {
  return await oauth.withSignInMethods(async (tx): Promise<SignInMethodsAnswer> => {
    const enabledSignIn = await enabledSignInOf(tx);
    const message = local ? undefined : refuseLocalLoss(await tx.users(), enabledSignIn);
    if (message !== undefined) return { answer: 'refused', message };
    if (local !== enabledSignIn.local) await tx.setLocal(local, act);
    return { answer: 'done' };
  });
}

/** Unlinks the user's own identity at a provider. */
export async function unlink(
  link: { userId: number; provider: string },
  act: AuditedAct,
  oauth: Store,
): Promise<SignInMethodsAnswer> {
  return await oauth.withSignInMethods(async (tx): Promise<SignInMethodsAnswer> => {
    const user = await tx.user(link.userId);
    if (user === undefined) return { answer: 'unknown' };
    const message = refuseUnlink(user, link.provider, await enabledSignInOf(tx));
    if (message !== undefined) return { answer: 'refused', message };
    return { answer: (await tx.unlink(link, act)) ? 'done' : 'unknown' };
  });
}

export async function enabledSignInOf(
  methods: Pick<SignInMethods, 'providers' | 'local'>,
): Promise<EnabledSignIn> {
  const providers = (await methods.providers()).filter(({ enabled }) => enabled);
  return { local: await methods.local(), providers: providers.map(({ canonical }) => canonical) };
}
