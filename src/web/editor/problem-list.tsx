import type { TextFinding } from './finding.ts';
import type { CheckState } from './use-check.ts';

interface ProblemListParts {
  check: CheckState;
  goTo: (line: number, column: number) => void;
  checkAgain: () => void;
}

/** The problems that the check found. Each place is a button that leads to the place in the text. */
export function ProblemList({ check, goTo, checkAgain }: ProblemListParts) {
  const { findings, failure } = check;
  return (
    <section aria-labelledby="editor-problems">
      <h2 id="editor-problems">Problems</h2>
      <p class="editor-verdict" role="status">
        {verdictOf(check)}
      </p>
      {failure !== undefined && (
        <p class="actions">
          <button type="button" class="quiet" onClick={checkAgain}>
            Check again
          </button>
        </p>
      )}
      {findings.length > 0 && (
        <ol class="editor-findings">
          {findings.map((finding, index) => (
            <Problem key={index} finding={finding} goTo={goTo} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Problem({ finding, goTo }: { finding: TextFinding; goTo: ProblemListParts['goTo'] }) {
  const { severity, line, column = 1, blocks = [], message, help } = finding;
  return (
    <li class={severity}>
      <p>
        <strong>{severity === 'error' ? 'Error' : 'Warning'}</strong>{' '}
        {line !== undefined && (
          <button type="button" class="editor-place" onClick={() => goTo(line, column)}>
            line {line}, column {column}
          </button>
        )}
      </p>
      <p>
        {blocks.length > 0 && (
          <>
            In <span class="code">{blocks.join(' › ')}</span>:{' '}
          </>
        )}
        {message}
      </p>
      {help !== undefined && <p class="help">{help}</p>}
    </li>
  );
}

function verdictOf({ text, findings, failure }: CheckState): string {
  if (failure !== undefined) return `The newest text is not checked: ${failure}`;
  if (text === undefined) return 'Nothing is checked yet.';
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  if (findings.length === 0) return 'The text is valid.';
  const counts = [countOf(errors, 'error'), countOf(warnings, 'warning')].filter((count) => count !== '');
  return errors === 0 ? `The text is valid, with ${counts.join(' and ')}.` : `${counts.join(' and ')}.`;
}

function countOf(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`;
}
