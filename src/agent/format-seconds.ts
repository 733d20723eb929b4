/** `90` → `1m30s`, as durations are written in a pipeline. */
export function formatSeconds(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'm'],
    [seconds % 60, 's'],
  ];
  const words = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count}${unit}`);
  return words.length === 0 ? '0s' : words.join('');
}
