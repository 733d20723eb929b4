import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { durationInWords } from '#domain/words.ts';
import type { LogSection } from './log-sections.ts';

interface SectionHeaderProps {
  section: LogSection;
  open: boolean;
  onFold: (open: boolean) => void;
  /** Undefined: the page cannot write to the clipboard. */
  onCopy: (() => void) | undefined;
}

/** The header of a step in the log: its title, its status and its duration. */
export function SectionHeader({ section, open, onFold, onCopy }: SectionHeaderProps): JSX.Element {
  const { title, status, lines } = section;
  const isEmpty = lines.end === 0;
  return (
    <div class="build-section-header">
      <h3>
        <button type="button" class="build-fold" aria-expanded={open} onClick={() => onFold(!open)}>
          {title}
        </button>
      </h3>
      {status !== undefined && <span class={`status ${status}`}>{status}</span>}
      <span class="help">{isEmpty && 'no output'}</span>
      <Duration section={section} />
      {onCopy !== undefined && !isEmpty && (
        <button
          type="button"
          class="quiet build-copy"
          aria-label={`Copy the log of ${title}`}
          onClick={onCopy}
        >
          Copy
        </button>
      )}
    </div>
  );
}

/** The duration of a step. For a running step, it changes each second. */
function Duration({ section: { startedAt, endedAt } }: { section: LogSection }): JSX.Element {
  const [now, setNow] = useState(() => Date.now());
  const isRunning = startedAt !== undefined && endedAt === undefined;
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (startedAt === undefined) return <span class="help" />;
  const end = endedAt === undefined ? now : Date.parse(endedAt);
  return <span class="help build-took">{durationInWords(end - Date.parse(startedAt))}</span>;
}
