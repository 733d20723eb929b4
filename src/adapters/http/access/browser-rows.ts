/** Rows of the table of routes: what is there for browsers alone, and what they follow. */
export const BROWSER_ROWS = {
  'GET /': {
    needs: 'nothing',
    about: 'Name and version of what answers here; a browser is sent to the pipelines.',
  },
  'GET /openapi': { needs: 'nothing', about: 'The same as a page to read.' },
  'GET /assets/:name': { needs: 'nothing', about: 'Style and script of the pages.' },
  'GET /auth/login': { needs: 'nothing', about: 'The page on which people sign in; only for browsers.' },
  'GET /profile/password': {
    needs: 'session',
    beforePasswordChange: true,
    about: 'The page on which people change their password; only for browsers.',
  },
  'GET /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/events': {
    needs: 'read',
    about:
      'The build as it goes on, as [server-sent events](../how-to/follow-live.md): `build` with its state, `log` with each chunk, `end` when nothing more will come. `Last-Event-ID`, or `after`, goes on behind a chunk.',
  },
} as const;
