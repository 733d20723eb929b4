/** Rows of the table of routes: what strangers see of a public pipeline, and members of any. */
export const PUBLIC_ROWS = {
  'GET /teams/:team/pipelines/:pipeline/public': {
    needs: 'public',
    about:
      'The pipeline as the public may see it: names of jobs, steps, resources and types, and states; no parameters, commands, logs, tokens or schedules.',
  },
  'GET /teams/:team/pipelines/:pipeline/image.dot': {
    needs: 'public',
    about:
      'Its graph as a text for Graphviz, in `dot`. `hide_intermediates`, `group_parallel` and `version_id` as below.',
  },
  'GET /teams/:team/pipelines/:pipeline/image.svg': {
    needs: 'public',
    about:
      'Its graph as an SVG image. `hide_intermediates=1` draws direct edges from job to job and keeps only the resources that trigger; `group_parallel=1` makes one node of jobs with the same parents; `version_id` fades what that version does not come to.',
  },
  'GET /teams/:team/pipelines/:pipeline/image.png': { needs: 'public', about: 'The same as a PNG image.' },
  'GET /teams/:team/pipelines/:pipeline/badge.svg': {
    needs: 'public',
    about: 'A badge (SVG) with the name of the pipeline and the gravest state of its jobs.',
  },
  'GET /teams/:team/pipelines/:pipeline/jobs/:job/badge.svg': {
    needs: 'public',
    about: 'A badge (SVG) with the name of a job and how its newest build ended.',
  },
} as const;
