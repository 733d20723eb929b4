import type { AccountStore, Passwords } from './ports.ts';

interface Ports {
  accounts: Pick<AccountStore, 'accounts' | 'seedAdmin'>;
  passwords: Pick<Passwords, 'hash'>;
  /**
   * The user name and the initial password, from a Secret that the first call creates. Called only while
   * there are no accounts.
   */
  firstAdmin(): Promise<{ username: string; password: string }>;
  now(): Date;
}

/**
 * Creates the first admin of an installation, who has to change the password at the first sign-in.
 * `not-empty`: nothing was created, because there is an account already.
 */
export async function seedAdmin(ports: Ports): Promise<'seeded' | 'not-empty'> {
  const { rows } = await ports.accounts.accounts({ limit: 1 });
  if (rows.length > 0) return 'not-empty';
  const { username, password } = await ports.firstAdmin();
  const passwordHash = await ports.passwords.hash(password);
  return await ports.accounts.seedAdmin({ username, passwordHash }, ports.now());
}
