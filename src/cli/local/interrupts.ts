const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `onFirst` for the first signal and `onNext` for each later one. Returns a function that removes the
 * handlers.
 */
export function onInterrupts(onFirst: () => void, onNext: () => void): () => void {
  let count = 0;
  const interrupted = (): void => {
    count += 1;
    if (count === 1) onFirst();
    else onNext();
  };
  for (const signal of SIGNALS) process.on(signal, interrupted);
  return () => {
    for (const signal of SIGNALS) process.off(signal, interrupted);
  };
}
