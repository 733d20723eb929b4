const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `first` for the first signal and `second` for the next ones. Returns what ends this. */
export function onInterrupts(first: () => void, second: () => void): () => void {
  let count = 0;
  const interrupted = (): void => {
    count += 1;
    if (count === 1) first();
    else second();
  };
  for (const signal of SIGNALS) process.on(signal, interrupted);
  return () => {
    for (const signal of SIGNALS) process.off(signal, interrupted);
  };
}
