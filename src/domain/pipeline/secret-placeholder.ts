/*
 * While a pipeline is compiled, a secret variable has a placeholder instead of its value. The placeholder
 * consists of letters, digits and underscores, so strings and templates preserve it. The internal gateway
 * inserts the value for the one Pod that needs it.
 */
const PREFIX = '__millrace_secret_';
const pattern = /__millrace_secret_((?:[0-9a-f]{2})+)__/g;

export function makeSecretPlaceholder(name: string): string {
  return `${PREFIX}${toHex(name)}__`;
}

/** Names of all placeholders in the text, without duplicates. */
export function findSecretNames(text: string): string[] {
  return [...new Set([...text.matchAll(pattern)].flatMap(([, hex]) => fromHex(hex ?? '') ?? []))];
}

/**
 * Replaces placeholders by values. A placeholder without a value stays in the text. To find such
 * placeholders, compare `findSecretNames` of the text with the names that have a value.
 */
export function replaceSecretPlaceholders(
  text: string,
  valueOf: (name: string) => string | undefined,
): string {
  return text.replaceAll(pattern, (placeholder, hex: string) => valueOfHex(hex, valueOf) ?? placeholder);
}

/**
 * Like `replaceSecretPlaceholders`, for values that may be very long. Returns undefined if the result would
 * have more characters than `max`.
 */
export function fillSecretPlaceholders(
  text: string,
  valueOf: (name: string) => string | undefined,
  max: number,
): string | undefined {
  const values = new Map<string, string>();
  let length = text.length;
  for (const [placeholder, hex = ''] of text.matchAll(pattern)) {
    const value = values.get(placeholder) ?? valueOfHex(hex, valueOf) ?? placeholder;
    values.set(placeholder, value);
    length += value.length - placeholder.length;
  }
  if (length > max) return undefined;
  return text.replaceAll(pattern, (placeholder) => values.get(placeholder) ?? placeholder);
}

function valueOfHex(hex: string, valueOf: (name: string) => string | undefined): string | undefined {
  const name = fromHex(hex);
  return name === undefined ? undefined : valueOf(name);
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
