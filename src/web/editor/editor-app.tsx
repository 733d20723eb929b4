import { useEffect, useRef, useState } from 'preact/hooks';
import { ChangesReview } from './changes-review.tsx';
import { createCodeEditor, type CodeEditor } from './code-editor.ts';
import { pipelinePath, type EditorApi, type EditorKnown } from './editor-known.ts';
import { GraphPreview } from './graph-preview.tsx';
import { ProblemList } from './problem-list.tsx';
import { useCheck } from './use-check.ts';
import { useSave, type SaveState } from './use-save.ts';

interface EditorAppParts {
  known: EditorKnown;
  initial: { text: string; name: string };
  api: EditorApi;
}

/** The editor: the text, and beside it the graph and the problems that the check found. */
export function EditorApp({ known, initial, api }: EditorAppParts) {
  const [text, setText] = useState(initial.text);
  const [name, setName] = useState(initial.name);
  const [isReviewing, setReviewing] = useState(false);
  const { check, checkAgain } = useCheck(known, text, api);
  const { save, ...saving } = useSave(known, api);
  const { container, editor } = useCodeEditor(known, initial.text, setText);
  const isNew = saving.server.pipeline === undefined;
  useEffect(() => editor.current?.showFindings(check.findings), [check]);
  useLeaveWarning(!known.readOnly && text !== (isNew ? initial.text : saving.server.text));
  const goTo = (line: number, column: number): void => {
    setReviewing(false);
    // In the next frame, the editor is visible again.
    requestAnimationFrame(() => editor.current?.goTo(line, column));
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isNew || isReviewing) void save({ name, text });
    else setReviewing(true);
  };
  return (
    <>
      <form class="editor-main" onSubmit={submit}>
        {isNew && <NameField name={name} setName={setName} />}
        <div class="editor-text" hidden={isReviewing}>
          <p class="editor-label" aria-hidden="true">
            {LABEL}
          </p>
          <div ref={container} class="editor-code" />
          <p class="help">{known.readOnly ? READING : KEYS}</p>
        </div>
        {isReviewing && <ChangesReview saved={saving.server.text} text={text} />}
        <Outcome team={known.team} saving={saving} />
        {!known.readOnly && (
          <Buttons
            isSaving={saving.isSaving}
            isNew={isNew}
            back={isReviewing ? () => setReviewing(false) : undefined}
          />
        )}
      </form>
      <aside class="editor-side" aria-label="About the text">
        {known.readOnly ? (
          <LiveGraph known={known} />
        ) : (
          <>
            <ProblemList check={check} goTo={goTo} checkAgain={checkAgain} />
            <GraphPreview check={check} />
          </>
        )}
      </aside>
    </>
  );
}

/** Creates the code editor once its element is in the document. */
function useCodeEditor({ readOnly, types }: EditorKnown, text: string, changed: (text: string) => void) {
  const container = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor>(null);
  useEffect(() => {
    const parent = container.current;
    if (parent !== null)
      editor.current = createCodeEditor({ parent, text, readOnly, types, label: LABEL, changed });
    return () => editor.current?.destroy();
  }, []);
  return { container, editor };
}

interface ButtonsParts {
  isSaving: boolean;
  isNew: boolean;
  /** Returns from the changes to the text. Undefined: the page does not show the changes. */
  back: (() => void) | undefined;
}

function Buttons({ isSaving, isNew, back }: ButtonsParts) {
  const label = back === undefined ? 'Review changes' : 'Save these changes';
  return (
    <p class="actions">
      <button type="submit" disabled={isSaving}>
        {isNew ? 'Create the pipeline' : label}
      </button>
      {back !== undefined && (
        <button type="button" class="quiet" onClick={back}>
          Back to the text
        </button>
      )}
    </p>
  );
}

const LABEL = 'Text of the pipeline';
const KEYS =
  'Tab indents. To leave the text with the keyboard, press Escape, then Tab. ' +
  'Ctrl+Space completes, Ctrl+F searches.';
const READING = 'You can read and search (Ctrl+F) this text, but not change it here.';

/** Makes the browser ask before it leaves a page with changes that are not saved. */
function useLeaveWarning(hasChanges: boolean): void {
  useEffect(() => {
    if (!hasChanges) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [hasChanges]);
}

function NameField({ name, setName }: { name: string; setName: (name: string) => void }) {
  return (
    <p>
      <label for="name">Name</label>
      <input
        id="name"
        value={name}
        required
        maxLength={63}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-describedby="name-help"
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />{' '}
      <span class="help" id="name-help">
        Lower-case letters, digits, hyphens and dots.
      </span>
    </p>
  );
}

/** The result of the last save, with a link to the pipeline. */
function Outcome({ team, saving: { outcome, server } }: { team: string; saving: SaveState }) {
  return (
    <div role="status">
      {outcome !== undefined && (
        <p class={outcome.good ? 'editor-notice' : 'alert'}>
          {outcome.message}
          {outcome.good && server.pipeline !== undefined && (
            <>
              {' '}
              <a href={pipelinePath(team, server.pipeline)}>Open the pipeline</a>
            </>
          )}
        </p>
      )}
    </div>
  );
}

function LiveGraph({ known: { team, pipeline = '' } }: { known: EditorKnown }) {
  return (
    <section aria-labelledby="editor-graph">
      <h2 id="editor-graph">Graph</h2>
      <figure class="editor-picture">
        <img src={`${pipelinePath(team, pipeline)}/image.svg`} alt={`Graph of ${pipeline}`} />
      </figure>
    </section>
  );
}
