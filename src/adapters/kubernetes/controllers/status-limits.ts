const MAX_NAMES = 100;
/** The most texts that one condition lists. */
const MAX_LISTED = 5;
export const MAX_MESSAGE_CHARACTERS = 1024;

/** The first items; undefined for an empty list, so that the status omits it. */
export function boundedList<T>(items: T[], limit = MAX_NAMES): T[] | undefined {
  return items.length === 0 ? undefined : items.slice(0, limit);
}

/** The first five texts, and how many more there are. */
export function firstTexts(texts: string[]): string[] {
  const more = texts.length > MAX_LISTED ? [`and ${texts.length - MAX_LISTED} more`] : [];
  return [...texts.slice(0, MAX_LISTED), ...more];
}
