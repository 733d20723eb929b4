import type { DatabasePool } from 'slonik';
import { renameRequests } from '#adapters/database/rename-pipeline.ts';
import type { AccessStores } from '#flows/access-stores.ts';
import { accountStore } from './accounts.ts';
import { auditStore } from './audit.ts';
import { memberStore } from './members.ts';
import { oauthStore } from './oauth.ts';
import { throttleStore } from './throttle.ts';
import { tokenStore } from './tokens.ts';
import { userSessionStore } from './user-sessions.ts';

/** Accounts, members, sessions, tokens, and what was done with them. */
export function accessStores(database: { pool: DatabasePool }): AccessStores {
  return {
    accounts: accountStore(database),
    members: memberStore(database),
    sessions: userSessionStore(database),
    tokens: tokenStore(database),
    throttle: throttleStore(database),
    audit: auditStore(database),
    oauth: oauthStore(database),
    renames: renameRequests(database),
  };
}
