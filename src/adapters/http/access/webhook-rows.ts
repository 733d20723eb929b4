/** Rows of the table of routes: what forges call, and where its token is made. */
export const WEBHOOK_ROWS = {
  'POST /webhooks/:token': {
    needs: 'nothing',
    about:
      'Asks for a check of the resource that the token belongs to. The body (at most 1 MiB, of any type) counts only for its signature. Answers 202 once the request is stored; 403 when a signature is wrong, or there is none and the resource requires one.',
  },
  'POST /teams/:team/pipelines/:pipeline/resources/:resource/webhook_token': {
    needs: 'maintain',
    audit: 'resource.webhook_regenerated',
    about:
      'Replaces the webhook token and its secret; the old ones stop working at once. Send `"signature": "required"` to refuse webhooks without a signature from then on, and `optional` to accept them again.',
  },
} as const;
