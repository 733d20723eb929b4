import { requestApi, RequestProblem } from './api.ts';
import { EditorApp } from './editor/editor-app.tsx';
import type { EditorApi, EditorKnown } from './editor/editor-known.ts';
import { replaceServerContent } from './replace-server-content.ts';

/* The editor of a pipeline: it replaces the form of the page. */

const api: EditorApi = {
  request: requestApi,
  statusOf: (error) => (error instanceof RequestProblem ? error.status : undefined),
};

const container = document.getElementById('editor');
const form = container?.querySelector('form');
const data = container?.dataset['known'];
if (container !== null && form instanceof HTMLFormElement && data !== undefined) {
  const known: EditorKnown = JSON.parse(data);
  const fields = new FormData(form);
  const initial = { text: textOf(fields.get('config')), name: textOf(fields.get('name')) };
  replaceServerContent(container, <EditorApp known={known} initial={initial} api={api} />);
}

/** Restores line feeds, because form data may have CRLF. */
function textOf(field: FormDataEntryValue | null): string {
  return typeof field === 'string' ? field.replaceAll('\r\n', '\n') : '';
}
