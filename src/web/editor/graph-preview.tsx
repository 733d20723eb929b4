import type { CheckState } from './use-check.ts';

/** The graph of the current text, or of the last valid text. */
export function GraphPreview({ check }: { check: CheckState }) {
  const { picture, pictureRefused, findings } = check;
  const isOld = findings.some(({ severity }) => severity === 'error');
  return (
    <section aria-labelledby="editor-graph">
      <h2 id="editor-graph">Graph</h2>
      <figure class="editor-picture">
        {picture === undefined ? (
          <p class="help">{pictureRefused ?? 'The graph appears here when the text is valid.'}</p>
        ) : (
          <img
            class={isOld ? 'old' : undefined}
            src={`data:image/svg+xml,${encodeURIComponent(picture)}`}
            alt={isOld ? 'Graph of the last valid text' : 'Graph of the text'}
          />
        )}
      </figure>
      {picture !== undefined && isOld && <p class="help">This is the graph of the last valid text.</p>}
    </section>
  );
}
