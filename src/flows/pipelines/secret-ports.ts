import type { SecretKind, StoredSecretFacts } from '#domain/access/stored-secret.ts';
import type { AuditedAct } from '#flows/people/ports.ts';

/** A team, or one of its pipelines. */
export interface SecretScope {
  team: string;
  pipeline?: string;
}

export interface SealedValue {
  ciphertext: Buffer;
  wrappedKey: Buffer;
  /** Id of the installation's key pair that opens `wrappedKey`. */
  keyId: string;
}

export interface StoredSecret {
  name: string;
  kind: SecretKind;
  /** The value, if the secret is plain. */
  value?: string;
  updatedAt: Date;
  updatedBy: string;
}

export interface SecretTransaction {
  /**
   * The team, pipeline and name that the value belongs to, as one text. It is sealed together with the value,
   * so a value that somebody copies to another secret cannot be opened.
   */
  locationOf(name: string): string;
  facts(name: string): Promise<StoredSecretFacts>;
  /** Writes the audit entry too. */
  save(name: string, value: SealedValue | string, act: AuditedAct): Promise<void>;
}

export interface SecretStore {
  /** In the order of their names; undefined: no such team or pipeline. */
  secrets(scope: SecretScope): Promise<StoredSecret[] | undefined>;
  /** Undefined: no such team or pipeline. */
  withSecrets<T>(scope: SecretScope, work: (tx: SecretTransaction) => Promise<T>): Promise<T | undefined>;
  /** Writes the audit entry too. False: there is no such secret. */
  removeSecret(scope: SecretScope, name: string, act: AuditedAct): Promise<boolean>;
}

export interface SetSecretPorts {
  secrets: Pick<SecretStore, 'withSecrets'>;
  /** Undefined: the public key of the installation does not exist yet. */
  seal(this: void, value: string, location: string): Promise<SealedValue | undefined>;
}
