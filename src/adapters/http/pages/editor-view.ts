import type { Static } from 'typebox';
import type { FindingSchema } from '#adapters/http/api/pipeline-results.ts';
import { listBuiltInTypes } from '#domain/pipeline/list-built-in-types.ts';
import { html, type Html } from './html.ts';
import { alert, csrfField, describedBy, layout, type Viewer } from './layout.ts';
import { breadcrumbs, paths, teamBreadcrumbs } from './paths.ts';

type Finding = Static<typeof FindingSchema>;

export interface EditorContent {
  viewer: Viewer | undefined;
  team: string;
  /** Absent: a new pipeline. */
  pipeline?: string;
  /** The name of a new pipeline, as entered so far. */
  name?: string;
  config: string;
  /** The text that is saved. */
  saved?: string;
  vars?: Readonly<Record<string, string>>;
  generation?: number;
  /** Why the text cannot be changed here. Absent: it can. */
  readOnly?: 'manifest' | 'characters';
  findings?: readonly Finding[];
  /** What a check or a save did. */
  notice?: string;
  /** Why the check or the save failed. */
  problem?: string;
  /** The graph of the text as SVG. */
  picture?: string;
  /** Why there is no graph. */
  pictureRefused?: string;
}

/** The page of the editor. Its script replaces the form. */
export function editorView(content: EditorContent): Html {
  const { viewer, team, pipeline, problem, notice } = content;
  const title = pipeline === undefined ? 'New pipeline' : 'Definition';
  return layout({
    title: pipeline === undefined ? title : `${title} of ${pipeline}`,
    viewer,
    breadcrumbs: pipeline === undefined ? teamBreadcrumbs(team) : breadcrumbs({ team, pipeline }),
    script: 'editor-page.js',
    main: html`<h1>${pipeline === undefined ? title : `${title} of ${pipeline}`}</h1>
      ${readOnlyNote(content)} ${alert(problem)}
      ${notice !== undefined && html`<p class="editor-notice" role="status">${notice}</p>`}
      <div id="editor" class="editor" ${scriptData(content)}>
        ${textForm(content)}
        <aside class="editor-side" aria-label="About the text">
          ${findingList(content)} ${graphOf(content)}
        </aside>
      </div>`,
  });
}

const READ_ONLY_NOTES = {
  manifest: (team: string, pipeline: string): Html =>
    html`A manifest manages this pipeline, so you can only read the text that runs. To change it, change the
      Pipeline object <span class="code">${pipeline}</span> of team <span class="code">${team}</span> where it
      comes from: with kubectl, or in the repository that your tool applies.`,
  characters: (): Html =>
    html`This text contains control characters, which a page cannot show. Change it with
      <span class="code">millrace pipelines update</span>.`,
};

function readOnlyNote({ readOnly, team, pipeline = '' }: EditorContent): Html {
  return readOnly === undefined
    ? html``
    : html`<p class="alert">${READ_ONLY_NOTES[readOnly](team, pipeline)}</p>`;
}

/** The data that the script of the page needs besides what the form contains. */
function scriptData({ team, pipeline, saved = '', generation, vars = {}, readOnly }: EditorContent): Html {
  const types = listBuiltInTypes().map(({ kind, name, params, description }) => ({
    kind,
    name,
    params,
    description,
  }));
  const scriptFacts = { team, pipeline, saved, generation, vars, readOnly: readOnly !== undefined, types };
  return html`data-known="${JSON.stringify(scriptFacts)}"`;
}

function textForm(content: EditorContent): Html {
  const { team, pipeline, viewer, config, generation, readOnly, problem } = content;
  const action = pipeline === undefined ? paths.newPipeline(team) : paths.definition({ team, pipeline });
  return html`<form method="post" action="${action}" class="editor-main">
    ${csrfField(viewer)}
    ${generation !== undefined && html`<input type="hidden" name="generation" value="${generation}" />`}
    ${pipeline === undefined && nameField(content)}
    <p class="editor-text">
      <label for="text">Text of the pipeline</label>
      <textarea
        id="text"
        name="config"
        rows="28"
        spellcheck="false"
        autocapitalize="none"
        ${readOnly === undefined ? html`required` : html`readonly`}
        ${describedBy(problem)}
      >
${config}</textarea>
    </p>
    ${
      readOnly === undefined &&
      html`<p class="actions">
        <button type="submit" name="do" value="save">
          ${pipeline === undefined ? 'Create the pipeline' : 'Save'}
        </button>
        <button type="submit" name="do" value="check" class="quiet">Check</button>
      </p>`
    }
  </form>`;
}

function nameField({ name = '' }: EditorContent): Html {
  return html`<p>
    <label for="name">Name</label>
    <input
      id="name"
      name="name"
      value="${name}"
      required
      maxlength="63"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      aria-describedby="name-help"
    />
    <span class="help" id="name-help">Lower-case letters, digits, hyphens and dots.</span>
  </p>`;
}

function findingList({ findings, readOnly }: EditorContent): Html {
  if (readOnly !== undefined) return html``;
  return html`<section aria-labelledby="editor-problems">
    <h2 id="editor-problems">Problems</h2>
    ${
      findings === undefined || findings.length === 0
        ? html`<p class="editor-verdict">
            ${findings === undefined ? 'Nothing is checked yet.' : 'There are none.'}
          </p>`
        : html`<ol class="editor-findings">
            ${findings.map(findingItem)}
          </ol>`
    }
  </section>`;
}

function findingItem({ severity, line, column = 1, message, blocks = [], help }: Finding): Html {
  const place = line === undefined ? '' : ` line ${line}, column ${column}`;
  return html`<li class="${severity}">
    <p><strong>${severity === 'error' ? 'Error' : 'Warning'}</strong>${place}</p>
    <p>${blocks.length > 0 && html`In <span class="code">${blocks.join(' › ')}</span>: `}${message}</p>
    ${help !== undefined && html`<p class="help">${help}</p>`}
  </li>`;
}

function graphOf(content: EditorContent): Html {
  return html`<section aria-labelledby="editor-graph">
    <h2 id="editor-graph">Graph</h2>
    <figure class="editor-picture">${pictureOf(content)}</figure>
  </section>`;
}

function pictureOf({ team, pipeline = '', readOnly, picture, pictureRefused }: EditorContent): Html {
  if (readOnly !== undefined)
    return html`<img src="${paths.pipeline({ team, pipeline })}/image.svg" alt="Graph of ${pipeline}" />`;
  if (picture === undefined)
    return html`<p class="help">${pictureRefused ?? 'The graph appears here when the text is valid.'}</p>`;
  const source = `data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}`;
  return html`<img src="${source}" alt="Graph of the text" />`;
}
