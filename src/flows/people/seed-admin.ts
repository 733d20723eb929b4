import type { AccountStore, Passwords } from './ports.ts';

interface Ports {
  accounts: Pick<AccountStore, 'accounts' | 'seedAdmin'>;
  passwords: Pick<Passwords, 'hash'>;
  /** Made at the first asking, the same from then on. Asked only while nobody has an account. */
  firstAdmin(): Promise<{ username: string; password: string }>;
  now(): Date;
}

/** The first account of an installation, who is told to change the password that the Secret names. */
export async function seedAdmin(ports: Ports): Promise<'seeded' | 'not-empty'> {
  const { rows } = await ports.accounts.accounts({ limit: 1 });
  if (rows.length > 0) return 'not-empty';
  const { username, password } = await ports.firstAdmin();
  const passwordHash = await ports.passwords.hash(password);
  return await ports.accounts.seedAdmin({ username, passwordHash }, ports.now());
}
