/*
 * While a pipeline is read, a secret variable holds a placeholder instead of its value. It consists of
 * letters, digits and underscores only, so it passes through texts and templates unchanged, and of a prefix
 * that nobody writes by chance. The internal gateway puts the value in, for the one Pod that needs it.
 */
const PREFIX = '__millrace_secret_';
const pattern = /__millrace_secret_((?:[0-9a-f]{2})+)__/g;

export function makeSecretPlaceholder(name: string): string {
  return `${PREFIX}${toHex(name)}__`;
}

/** The names of all secrets that the text stands for, each once. */
export function findSecretNames(text: string): string[] {
  return [...new Set([...text.matchAll(pattern)].flatMap(([, hex]) => fromHex(hex ?? '') ?? []))];
}

/**
 * Puts the values in. A placeholder without a value stays: the caller compares `findSecretNames` with what it
 * has.
 */
export function replaceSecretPlaceholders(
  text: string,
  valueOf: (name: string) => string | undefined,
): string {
  return text.replaceAll(pattern, (placeholder, hex: string) => {
    const name = fromHex(hex);
    return (name === undefined ? undefined : valueOf(name)) ?? placeholder;
  });
}

function toHex(name: string): string {
  const escaped = encodeURIComponent(name.toWellFormed());
  return escaped.replaceAll(/%(..)|(.)/g, (_, hex: string | undefined, char: string | undefined) =>
    (hex ?? char?.charCodeAt(0).toString(16) ?? '').toLowerCase(),
  );
}

function fromHex(hex: string): string | undefined {
  try {
    return decodeURIComponent(hex.replaceAll(/../g, '%$&'));
  } catch {
    return undefined;
  }
}
