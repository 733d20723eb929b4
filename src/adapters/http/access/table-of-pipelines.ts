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
      'Changes a pipeline that the API made; what the body leaves out stays, and sources are fetched again in any case. Answers as creating one does. 409 when a manifest made it.',
  },
  'POST /teams/:team/pipelines/:pipeline/rename': {
    needs: 'maintain',
    about:
      'Gives a pipeline that the API made the name `name`: its history, versions, pins, pauses and webhook tokens go with it, the old name is free and answers 404. 200 once it runs under the new name, 202 while that takes, with `reason` and `message`; 409 while builds run, when the name is taken, and when a manifest made the pipeline. The audit log has it as `pipeline.updated` with `renamed_from`.',
  },
  'DELETE /teams/:team/pipelines/:pipeline': {
    needs: 'maintain',
    audit: 'pipeline.deleted',
    about:
      'Deletes a pipeline that the API made: its builds are ended, its history is kept. 200 once it is gone, 202 while that takes.',
  },
} as const;
