import type { AccountStore, AuditStore, MemberStore, TokenStore, UserSessionStore } from './access-ports.ts';
import type { OAuthStore } from './oauth-ports.ts';
import type { RenameRequests } from './rename-ports.ts';
import type { ThrottleStore } from './throttle-ports.ts';

/** Everything that is kept of people and of what they may. */
export interface AccessStores {
  accounts: AccountStore;
  members: MemberStore;
  sessions: UserSessionStore;
  tokens: TokenStore;
  throttle: ThrottleStore;
  audit: AuditStore;
  oauth: OAuthStore;
  renames: RenameRequests;
}
