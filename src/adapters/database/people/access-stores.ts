import type { DatabasePool } from 'slonik';
import type { CliLoginStore } from '#flows/people/cli-login-ports.ts';
import type { OAuthStore } from '#flows/people/oauth-ports.ts';
import type { AccountStore, AuditStore, MemberStore, UserSessionStore } from '#flows/people/ports.ts';
import type { CacheLogSizes, TeamUseViews } from '#flows/people/team-use-ports.ts';
import type { ThrottleStore } from '#flows/people/throttle-ports.ts';
import type { TokenStore } from '#flows/people/token-ports.ts';
import type { PipelineCaches } from '#flows/pipelines/cache-ports.ts';
import type { IdentityKeyStore } from '#flows/pipelines/identity-key-ports.ts';
import type { RunningTexts } from '#flows/pipelines/object-ports.ts';
import type { RenameRequests } from '#flows/pipelines/rename-ports.ts';
import type { SecretStore } from '#flows/pipelines/secret-ports.ts';
import { accountStore } from './account-store.ts';
import { auditStore } from './audit-store.ts';
import { cliLoginStore } from './cli-login-store.ts';
import { memberStore } from './member-store.ts';
import { oauthStore } from './oauth-store.ts';
import { runningTexts } from './running-texts.ts';
import { teamUseViews } from './team-use.ts';
import { throttleStore } from './throttle-store.ts';
import { tokenStore } from './token-store.ts';
import { userSessionStore } from './user-session-store.ts';

/** The stores that routes of people, teams and pipelines use. */
export interface AccessStores {
  accounts: AccountStore;
  members: MemberStore;
  sessions: UserSessionStore;
  tokens: TokenStore;
  throttle: ThrottleStore;
  audit: AuditStore;
  oauth: OAuthStore;
  cliLogins: CliLoginStore;
  renames: RenameRequests;
  secrets: SecretStore;
  identityKeys: IdentityKeyStore;
  caches: PipelineCaches;
  teamUse: TeamUseViews;
  runningTexts: RunningTexts;
}

export function accessStores(
  database: { pool: DatabasePool },
  pipelineStores: Pick<AccessStores, 'renames' | 'secrets' | 'identityKeys' | 'caches'>,
  cacheLogSizes: CacheLogSizes = (sizes) => sizes,
): AccessStores {
  return {
    accounts: accountStore(database),
    members: memberStore(database),
    sessions: userSessionStore(database),
    tokens: tokenStore(database),
    throttle: throttleStore(database),
    audit: auditStore(database),
    oauth: oauthStore(database),
    teamUse: teamUseViews(database, cacheLogSizes),
    runningTexts: runningTexts(database),
    cliLogins: cliLoginStore(database),
    ...pipelineStores,
  };
}
