import { render } from 'preact';
import { requestApi, RequestProblem } from './api.ts';
import { EditorApp } from './editor/editor-app.tsx';
import type { EditorApi, EditorKnown } from './editor/editor-known.ts';

/* The editor of a pipeline: it replaces the form of the page. */

const api: EditorApi = {
  request: requestApi,
  statusOf: (error) => (error instanceof RequestProblem ? error.status : undefined),
};

const place = document.getElementById('editor');
const form = place?.querySelector('form');
const data = place?.dataset['known'];
if (place !== null && place !== undefined && form instanceof HTMLFormElement && data !== undefined) {
  const known: EditorKnown = JSON.parse(data);
  const fields = new FormData(form);
  const initial = { text: textOf(fields.get('config')), name: textOf(fields.get('name')) };
  place.replaceChildren();
  render(<EditorApp known={known} initial={initial} api={api} />, place);
}

/** Forms change the ends of lines, texts in the page do not. */
function textOf(field: FormDataEntryValue | null): string {
  return typeof field === 'string' ? field.replaceAll('\r\n', '\n') : '';
}
