import type { BrowserRules } from '#adapters/http/auth/session-cookie.ts';
import type { SessionCodec } from '#adapters/http/auth/session-token.ts';
import type { ChangePasswordPorts } from '#flows/people/change-password.ts';
import type { CliLoginPorts } from '#flows/people/cli-login.ts';
import type { OAuthStore } from '#flows/people/oauth-ports.ts';
import type { OAuthPorts } from '#flows/people/oauth-sign-in.ts';
import type { AccountStore, AuditStore, MemberStore, UserSessionStore } from '#flows/people/ports.ts';
import type { TeamUseViews } from '#flows/people/team-use-ports.ts';
import type { TokenStore } from '#flows/people/token-ports.ts';
import type { PipelineCaches } from '#flows/pipelines/cache-ports.ts';
import type { IdentityKeyStore } from '#flows/pipelines/identity-key-ports.ts';
import type { Compiler } from '#flows/pipelines/manifest-ports.ts';
import type { ApiObjects, RunningTexts } from '#flows/pipelines/object-ports.ts';
import type { RenameRequests } from '#flows/pipelines/rename-ports.ts';
import type { SecretStore, SetSecretPorts } from '#flows/pipelines/secret-ports.ts';
import type { Drawing } from '#flows/views/overview-ports.ts';

/**
 * The dependencies of the routes for signing in, for accounts, teams, secrets, caches, the audit log and
 * identity tokens, and for creating, changing, renaming and deleting pipelines.
 */
export interface AccessPorts extends Omit<ChangePasswordPorts, 'accounts' | 'sessions' | 'audit'> {
  accounts: AccountStore;
  members: MemberStore;
  sessions: UserSessionStore;
  /** Seconds after which an unused session ends; 0: never. */
  idleSeconds: number;
  tokens: TokenStore;
  /** The longest lifetime of an API token in seconds; 0: unlimited. */
  tokenMaxSeconds: number;
  audit: AuditStore;
  oauth: OAuthStore;
  cliLogins: CliLoginPorts['cliLogins'];
  renames: RenameRequests;
  secrets: SecretStore;
  identityKeys: Pick<IdentityKeyStore, 'publicKeys'>;
  caches: PipelineCaches;
  teamUse: TeamUseViews;
  seal: SetSecretPorts['seal'];
  client: OAuthPorts['client'];
  random: OAuthPorts['random'];
  randomBelow: CliLoginPorts['randomBelow'];
  digest: OAuthPorts['digest'];
  externalUrl: OAuthPorts['externalUrl'];
  /** Resolves after this time. */
  wait: (milliseconds: number) => Promise<void>;
  /** Monotonic milliseconds. */
  elapsed: () => number;
  compiler: Compiler;
  /** Draws graphs of texts that are not saved. */
  previews: Pick<Drawing, 'svg'>;
  runningTexts: RunningTexts;
  /** Undefined if this gateway runs without a cluster. */
  objects: ApiObjects | undefined;
  codec: SessionCodec;
  browser: BrowserRules;
}
