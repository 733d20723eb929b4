import { changedLines, type ComparedLine } from './changed-lines.ts';

/** The changed lines, each with its mark and, for screen readers, a word. */
export function ChangesReview({ saved, text }: { saved: string; text: string }) {
  const lines = changedLines(saved, text);
  return (
    <section aria-labelledby="editor-changes">
      <h2 id="editor-changes" tabIndex={-1}>
        Your changes
      </h2>
      {lines.length === 0 ? (
        <p>The text is the same as on the server.</p>
      ) : (
        <div class="scroll" role="group" aria-label="Changed lines" tabIndex={0}>
          <table class="editor-changes">
            <tbody>
              {lines.map((line, index) => (
                <ChangedLine key={index} line={line} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const LOOKS = {
  ' ': { look: 'same', word: '' },
  '+': { look: 'added', word: 'Added: ' },
  '-': { look: 'removed', word: 'Removed: ' },
  '…': { look: 'left-out', word: 'Unchanged lines are left out' },
} as const;

function ChangedLine({ line: { mark, text } }: { line: ComparedLine }) {
  const { look, word } = LOOKS[mark];
  return (
    <tr class={look}>
      <td aria-hidden="true">{mark}</td>
      <td>
        <span class="visually-hidden">{word}</span>
        {text}
      </td>
    </tr>
  );
}
