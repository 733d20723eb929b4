import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** The sizes of a log, in pixels. */
export interface Metrics {
  /** The width of a character, and the height of a row. */
  characterWidth: number;
  rowHeight: number;
  /** The size of the visible part of the log. */
  width: number;
  height: number;
}

/** The text that is measured. A single character would be measured too roughly. */
export const RULER = '0'.repeat(100);

/** Measures a log and its ruler. Measures again when their sizes change. */
export function useMetrics(
  box: RefObject<HTMLElement | null>,
  ruler: RefObject<HTMLElement | null>,
): Metrics | undefined {
  const [metrics, setMetrics] = useState<Metrics>();
  useLayoutEffect(() => {
    const [log, scale] = [box.current, ruler.current];
    if (log === null || scale === null) return undefined;
    const measure = (): void => {
      const { width, height } = scale.getBoundingClientRect();
      const next = {
        characterWidth: width / RULER.length,
        rowHeight: height,
        width: log.clientWidth,
        height: log.clientHeight,
      };
      setMetrics((known) => (JSON.stringify(known) === JSON.stringify(next) ? known : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(log);
    observer.observe(scale);
    return () => observer.disconnect();
  }, [box, ruler]);
  return metrics;
}
