/*
 * The page of a resource: finds versions while the viewer types, and shows, copies and tests the webhook
 * without loading another page. The page also works without this file.
 */
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { callWebhook } from './call-webhook.ts';
import { copyField } from './copy-field.ts';
import { findAsTyped } from './find-as-typed.ts';
import { isEdited } from './is-edited.ts';

/** A button beside a field that copies what the field contains. */
function CopyButton({ field }: { field: HTMLInputElement }) {
  const [label, setLabel] = useState('Copy');
  const copy = async (): Promise<void> => {
    setLabel(await copyField(field));
    setTimeout(() => setLabel('Copy'), 5000);
  };
  const fieldName = field.labels?.[0]?.textContent?.toLowerCase() ?? 'text';
  return (
    <button type="button" class="quiet" aria-label={`Copy the ${fieldName}`} onClick={() => void copy()}>
      <span aria-live="polite">{label}</span>
    </button>
  );
}

/** A button that calls the webhook as a forge does, and the answer of the server. */
function WebhookTest({ address, secret }: { address: string; secret: string }) {
  const [answer, setAnswer] = useState('');
  const [calling, setCalling] = useState(false);
  const call = async (): Promise<void> => {
    setCalling(true);
    setAnswer(await callWebhook(address, secret));
    setCalling(false);
  };
  return (
    <>
      <button type="button" class="quiet" aria-disabled={calling} onClick={() => calling || void call()}>
        Test the webhook
      </button>{' '}
      <span role="status">{answer}</span>
    </>
  );
}

/** Adds a copy button after each field with `data-copy`, and the button that tests the webhook. */
function drawWebhook(section: Element): void {
  const fields = [...section.querySelectorAll<HTMLInputElement>('input[data-copy]')];
  for (const field of fields) {
    const container = document.createElement('span');
    field.after(' ', container);
    render(<CopyButton field={field} />, container);
    field.addEventListener('focus', () => field.select());
  }
  const [address, secret] = fields;
  const test = section.querySelector('#webhook-test');
  if (test !== null && address !== undefined && secret !== undefined)
    render(<WebhookTest address={address.value} secret={secret.value} />, test);
}

/** Fetches the page with the address of the webhook, and shows the address without loading the page. */
async function showWebhook(section: Element, link: HTMLAnchorElement): Promise<void> {
  const answer = await fetch(link.href, { headers: { accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const fetched = page.getElementById('webhook');
  if (!answer.ok || answer.redirected || fetched === null) {
    location.assign(link.href);
    return;
  }
  section.replaceChildren(...fetched.childNodes);
  drawWebhook(section);
  section.querySelector<HTMLInputElement>('#webhook-address')?.focus();
}

const webhook = document.getElementById('webhook');
const show = document.getElementById('webhook-show');
if (webhook !== null) drawWebhook(webhook);
if (webhook !== null && show instanceof HTMLAnchorElement)
  show.addEventListener('click', (event) => {
    // With one of these keys, the browser opens the link in another tab or window.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void showWebhook(webhook, show);
  });
document.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLInputElement && target.id === 'version-text') findAsTyped(target);
});
// The viewer may have typed before this script listened.
const typedText = document.getElementById('version-text');
if (typedText instanceof HTMLInputElement && isEdited(typedText)) findAsTyped(typedText);
