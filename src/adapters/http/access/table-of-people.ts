/** Rows of `table.ts`: who people are, and what they may. */
export const PEOPLE = {
  'GET /auth/methods': { needs: 'nothing', about: 'How people can sign in here.' },
  'POST /auth/login': {
    needs: 'nothing',
    about:
      'Username and password for a session: its token, or with `"session": "cookie"` a cookie and a `csrf_token`.',
  },
  'GET /auth/oauth/:canonical': {
    needs: 'nothing',
    about:
      'Begins to sign in with a provider: a redirect to it, and a cookie that binds the answer to this browser.',
  },
  'GET /auth/oauth/:canonical/callback': {
    needs: 'nothing',
    about:
      'Where the provider sends the browser back to. The session is in a cookie then; somebody without an account gets a `profile_token`.',
  },
  'POST /auth/oauth/complete-profile': {
    needs: 'nothing',
    about:
      'Makes the account of somebody who signed in with a provider for the first time, under a name of their choice, and signs them in. They are in no team.',
  },
  'GET /auth/session': {
    needs: 'session',
    beforePasswordChange: true,
    about: 'Whose session this is, and its `csrf_token`.',
  },
  'POST /auth/logout': { needs: 'session', beforePasswordChange: true, about: 'Ends this session.' },
  'POST /auth/logout-everywhere': {
    needs: 'session',
    beforePasswordChange: true,
    about: 'Ends every session of the account, and its API tokens unless the body has `"keep_tokens": true`.',
  },
  'GET /profile': { needs: 'user', about: 'Your account.' },
  'PUT /profile': { needs: 'session', about: 'Changes your full name.' },
  'PUT /profile/password': {
    needs: 'session',
    beforePasswordChange: true,
    about:
      'Changes your password: your sessions end, your API tokens too unless the body has `"keep_tokens": true`, and the answer has a new session. An account without a password sends no current one, but needs a session of the last ten minutes (`sign-in-again`).',
  },
  'GET /profile/sessions': { needs: 'session', about: 'Your sessions, newest first.' },
  'DELETE /profile/sessions/:session': { needs: 'session', about: 'Ends one of your sessions.' },
  'GET /profile/linked-accounts': { needs: 'session', about: 'The providers that you can sign in with.' },
  'POST /profile/linked-accounts/:canonical': {
    needs: 'session',
    about:
      'Begins to link a provider: the answer says where to send the browser. Asks for a session of the last ten minutes: `sign-in-again`.',
  },
  'DELETE /profile/linked-accounts/:canonical': {
    needs: 'session',
    about:
      'Unlinks a provider, unless it is your only way to sign in. Asks for a session of the last ten minutes: `sign-in-again`.',
  },
  'POST /api-tokens': {
    needs: 'session',
    about:
      'Creates a token, shown once: `personal`, with all your rights, or for `team_canonical` with at most a `role`. It ends at `expires_at`, otherwise after 90 days. Asks for a session of the last ten minutes: `sign-in-again`.',
  },
  'GET /api-tokens': { needs: 'session', about: 'Your tokens, without what they are.' },
  'DELETE /api-tokens/:id': { needs: 'session', about: 'Deletes a token of yours.' },
  'GET /teams': {
    needs: 'user',
    about: 'The teams that you are a member of; all of them for a global admin.',
  },
  'POST /teams': {
    needs: 'global-admin',
    about:
      'Makes a team: a Team object, its namespace, and you as its first admin. 201 once it is there, 202 while the operator has yet to carry it out, 409 with the reason why there is no such team.',
  },
  'GET /teams/:team': { needs: 'read', about: 'One team.' },
  'PUT /teams/:team': {
    needs: 'admin',
    about:
      'Changes `display_name` (empty: none) and `groups`: the role that each group of an identity provider gives. 409 for what the manifest says itself.',
  },
  'DELETE /teams/:team': {
    needs: 'admin',
    about:
      'Deletes a team that the API made and that has no pipelines; its namespace stays. 204 once it is gone, 202 while that waits.',
  },
  'GET /teams/:team/members': { needs: 'read', about: 'Its members and their roles.' },
  'POST /teams/:team/members': { needs: 'admin', about: 'Adds a member; without a `role` as maintain.' },
  'PUT /teams/:team/members/:username': {
    needs: 'admin',
    about: 'Gives a member another role. The last admin stays admin.',
  },
  'DELETE /teams/:team/members/:username': {
    needs: 'admin',
    about: 'Removes a member, and their tokens for the team. The last admin stays.',
  },
  'GET /teams/:team/audit': {
    needs: 'read',
    about:
      'Who did what in the team, newest first, in pages; `user`, `exclude_user`, `action`, `exclude_action` (each may be repeated), `pipeline`, `since`, `until`.',
  },
  'GET /users': { needs: 'global-admin', about: 'All accounts, newest first, in pages.' },
  'GET /users/:username': { needs: 'global-admin', about: 'One account.' },
  'POST /users': {
    needs: 'global-admin',
    about: 'Makes an account. A password given here is changed at the first sign-in.',
  },
  'PUT /users/:username': {
    needs: 'global-admin',
    about:
      'Changes full name, `global_admin`, `disabled` (which shuts the account out until it is false again), or the password; the latter two end every session of the account.',
  },
  'DELETE /users/:username': {
    needs: 'global-admin',
    about:
      'Deletes an account with its sessions and tokens. The last admin of a team, and the last global admin, stay.',
  },
  'GET /admin/oauth-providers': {
    needs: 'global-admin',
    about: 'All providers, as the OAuthProvider objects say; never a secret.',
  },
  'GET /admin/oauth-providers/presets': {
    needs: 'global-admin',
    about:
      'What is known of usual providers: type, URLs, scopes and claims to begin with. `{word}` in a URL is to be replaced.',
  },
  'POST /admin/oauth-providers': {
    needs: 'global-admin',
    about:
      'Makes a provider: an OAuthProvider object, and its client secret in a Secret. What the body leaves out is taken from `preset`.',
  },
  'PUT /admin/oauth-providers/:canonical': {
    needs: 'global-admin',
    about:
      'Changes a provider that the API made, at once on every replica. What the body leaves out stays, an empty text goes; an empty `client_secret` leaves the one that is kept. 409 when a manifest made it, or somebody could not sign in any more.',
  },
  'DELETE /admin/oauth-providers/:canonical': {
    needs: 'global-admin',
    about: 'Deletes a provider that the API made, unless somebody could not sign in any more.',
  },
  'GET /admin/auth-settings': { needs: 'global-admin', about: 'Whether people may sign in by password.' },
  'PUT /admin/auth-settings': {
    needs: 'global-admin',
    about:
      'Turns signing in by password on or off; off only when everybody has linked a provider that is enabled.',
  },
  'GET /admin/audit': {
    needs: 'global-admin',
    about: 'The same for the whole installation, with sign-ins, tokens and accounts.',
  },
} as const;
