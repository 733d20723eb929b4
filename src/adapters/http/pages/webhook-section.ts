import type { WebhookTokens } from '#adapters/http/api/pipeline-ports.ts';
import { webhookOf } from '#adapters/http/api/webhooks.ts';
import type { ResourceView } from '#flows/views/ports.ts';
import { html, type Html } from './html.ts';
import { csrfField } from './layout.ts';
import { may, type TeamViewer } from './viewer.ts';

/**
 * The webhook of a resource, for members with the role `maintain` or above. The URL that a forge calls is a
 * secret, so the page shows it only if the viewer asks for it.
 */
export function webhookSection(parts: {
  url: string;
  /** The origin at which forges reach this server. */
  base: string;
  resource: ResourceView;
  webhooks: WebhookTokens;
  /** Whether the viewer asked for the URL and the secret. */
  shown: boolean;
  teamViewer: TeamViewer;
}): Html {
  const { url, resource, shown, teamViewer } = parts;
  if (!may(teamViewer, 'maintain')) return html``;
  return html`<section id="webhook" aria-labelledby="webhook-title">
    <h2 id="webhook-title">Webhook</h2>
    <p>
      A forge that calls the address of this resource starts a check at once.
      ${
        resource.webhookSigned
          ? 'Calls need a signature.'
          : 'Calls without a signature are accepted; a wrong signature is refused.'
      }
    </p>
    ${
      shown
        ? secretsOf(parts)
        : html`<p>
            <a class="button quiet" id="webhook-show" href="${url}?webhook=shown#webhook"
              >Show the address and the secret</a
            >
          </p>`
    }
    ${replaceForm(url, resource, teamViewer)}
  </section>`;
}

function secretsOf({ base, resource, webhooks }: Parameters<typeof webhookSection>[0]): Html {
  const { token, secret } = webhookOf(resource, webhooks);
  return html`<div class="resource-secrets">
    <p>
      <label for="webhook-address">Address</label>
      <input id="webhook-address" class="code" readonly data-copy value="${`${base}/webhooks/${token}`}" />
    </p>
    <p>
      <label for="webhook-secret">Secret for signatures</label>
      <input id="webhook-secret" class="code" readonly data-copy value="${secret}" />
    </p>
    <p id="webhook-test"></p>
    <p class="help">
      Anyone with the address can start checks of this resource. Anyone who also has the secret can retry
      builds of the pipeline.
    </p>
  </div>`;
}

function replaceForm(url: string, { webhookSigned }: ResourceView, { viewer }: TeamViewer): Html {
  const [keep, other, label] = webhookSigned
    ? ['still needed', 'optional', 'no longer needed']
    : ['still optional', 'required', 'needed from now on'];
  return html`<details>
    <summary>Replace the address and the secret</summary>
    <form method="post" action="${url}/webhook_token">
      ${csrfField(viewer)}
      <p>The old ones stop working at once. Enter the new ones at the forge.</p>
      <p>
        <label for="webhook-signature">Signatures are</label>
        <select id="webhook-signature" name="signature">
          <option value="">${keep}</option>
          <option value="${other}">${label}</option>
        </select>
      </p>
      <p><button type="submit">Replace them</button></p>
    </form>
  </details>`;
}
