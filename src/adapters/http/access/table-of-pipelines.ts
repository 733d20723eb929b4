/** Rows of `table.ts`: pipelines that the API makes. */
export const PIPELINES = {
  'POST /teams/:team/pipelines': {
    needs: 'maintain',
    audit: 'pipeline.created',
    about:
      'Makes a pipeline of the HCL text `config`, with `vars`, `display_name` and `public`: a Pipeline object. 201 once it runs, 202 when it stands in the cluster and does not run yet, with `reason` and `message`; 400 with all `findings` when the text has errors.',
  },
  'POST /teams/:team/pipelines/validate': {
    needs: 'maintain',
    about: 'What is wrong with a text, by line and column, as `millrace validate` says it. Nothing is kept.',
  },
  'GET /teams/:team/pipelines/:pipeline/definition': {
    needs: 'maintain',
    about: 'Text, variables and settings of a pipeline that the API made.',
  },
  'PUT /teams/:team/pipelines/:pipeline': {
    needs: 'maintain',
    audit: 'pipeline.updated',
    about:
      'Changes a pipeline that the API made; what the body leaves out stays. Answers as making one does. 409 when a manifest made it.',
  },
  'DELETE /teams/:team/pipelines/:pipeline': {
    needs: 'maintain',
    audit: 'pipeline.deleted',
    about:
      'Deletes a pipeline that the API made: its builds are ended, its history is kept. 200 once it is gone, 202 while that takes.',
  },
} as const;
