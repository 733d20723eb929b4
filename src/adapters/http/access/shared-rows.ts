/** Rows of the table of routes: what members read of any pipeline, and strangers, in less words, of one that is public. */
export const SHARED_ROWS = {
  'GET /teams/:team/pipelines/:pipeline': {
    needs: 'public',
    about:
      'One pipeline. The public gets its names, whether it is paused, and how many jobs and resources it has.',
  },
  'GET /teams/:team/pipelines/:pipeline/jobs': {
    needs: 'public',
    about:
      'Its jobs in the order of the file, each with the number, status and times of its latest build, for the public too.',
  },
  'GET /teams/:team/pipelines/:pipeline/jobs/:job': {
    needs: 'public',
    about: 'One job: the same.',
  },
  'GET /teams/:team/pipelines/:pipeline/jobs/:job/builds': {
    needs: 'public',
    about:
      'Builds, newest first, in pages; `status` keeps those in one status. The public gets number, status and times.',
  },
  'GET /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build': {
    needs: 'public',
    about:
      'One build with its inputs and steps. The public gets number, status and times, also of the steps; no inputs, messages and exit codes.',
  },
  'GET /teams/:team/pipelines/:pipeline/resources': {
    needs: 'public',
    about:
      'The resources; `webhook_token`, `webhook_secret` and `webhook_signature` (`required` or `optional`) are shown from the role maintain on. The public gets name, type and whether it is pinned.',
  },
  'GET /teams/:team/pipelines/:pipeline/resources/:resource': {
    needs: 'public',
    about: 'One resource, named `<type>.<name>`, for example `git.app`: the same.',
  },
  'GET /teams/:team/pipelines/:pipeline/resources/:resource/versions': {
    needs: 'public',
    about:
      'Its versions, newest first, in pages. The public gets when they were found, and the `id` that pictures take.',
  },
  'GET /teams/:team/pipelines/:pipeline/events': {
    needs: 'public',
    about:
      'The pipeline as it changes, as [server-sent events](../how-to/follow-live.md): each `pipeline` is its whole state with all jobs and resources, with fewer fields for the public. If you send `Last-Event-ID`, you get the first state after that one.',
  },
} as const;
