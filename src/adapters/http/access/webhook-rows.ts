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
      'Makes the webhook token and its secret anew; the ones before are void at once. With `"signature": "required"` in the body webhooks without a signature are refused from then on, with `optional` no longer.',
  },
} as const;
