const MIN_SECRET_CHARACTERS = 3;
/** Base64 is masked only if it is so long that ordinary text hardly ever matches it. */
const MIN_BASE64_CHARACTERS = 4;
const MIN_BASE64_PART_CHARACTERS = 6;
/** Line lengths at which tools wrap base64. */
const WRAPS = [76, 64];

/**
 * The texts to mask for these values: the lines of each value, and encoded forms (JSON, percent encoding,
 * base64), unless they are too short. Each text is returned once, the longest first.
 */
export function secretForms(secrets: readonly string[]): string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    for (const line of linesOf(secret)) {
      addUnlessShort(forms, line, MIN_SECRET_CHARACTERS);
      addUnlessShort(forms, encodeURIComponent(line.toWellFormed()), MIN_SECRET_CHARACTERS);
      addUnlessShort(forms, JSON.stringify(line).slice(1, -1), MIN_SECRET_CHARACTERS);
    }
    if (secret.trim().length < MIN_SECRET_CHARACTERS) continue;
    addUnlessShort(forms, JSON.stringify(secret).slice(1, -1), MIN_SECRET_CHARACTERS);
    for (const text of new Set([secret, secret.trimEnd(), `${secret.trimEnd()}\n`])) {
      const { whole, parts } = base64Forms(text);
      for (const form of bothAlphabets([whole])) addUnlessShort(forms, form, MIN_BASE64_CHARACTERS);
      for (const form of bothAlphabets(parts)) addUnlessShort(forms, form, MIN_BASE64_PART_CHARACTERS);
    }
  }
  return [...forms].toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

function addUnlessShort(forms: Set<string>, form: string, shortest: number): void {
  if (form.length >= shortest) forms.add(form);
}

/** The lines of a value that are not too short, each with and without the spaces around it. */
function linesOf(secret: string): string[] {
  const lines = secret.split(/\r\n|\r|\n/).filter((line) => line.trim().length >= MIN_SECRET_CHARACTERS);
  return lines.flatMap((line) => [line, line.trim()]);
}

/**
 * The value in base64. `whole`: the value alone. `parts`: the lines of the wrapped value, and the value
 * inside longer data. In longer data, the encoded value differs by its offset modulo 3. Characters that also
 * encode neighbouring bytes are left out.
 */
function base64Forms(secret: string): { whole: string; parts: string[] } {
  const bytes = utf8(secret);
  const whole = base64(bytes).replaceAll('=', '');
  const wrapped = WRAPS.flatMap((width) => (whole.length > width ? pieces(whole, width) : []));
  const insideLongerData = [0, 1, 2].map((offset) => {
    const text = base64([...Array.from({ length: offset }, () => 0), ...bytes]).replaceAll('=', '');
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + bytes.length) * 8) / 6);
    return text.slice(first, last);
  });
  return { whole, parts: [...wrapped, ...insideLongerData] };
}

/** The forms in the standard alphabet of base64, and in the URL-safe one. */
function bothAlphabets(forms: string[]): string[] {
  return [...forms, ...forms.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}

function pieces(text: string, width: number): string[] {
  return Array.from({ length: Math.ceil(text.length / width) }, (_, i) =>
    text.slice(i * width, (i + 1) * width),
  );
}

function utf8(text: string): number[] {
  const bytes: number[] = [];
  const encoded = encodeURIComponent(text.toWellFormed());
  for (let index = 0; index < encoded.length; index += 1) {
    if (encoded[index] === '%') {
      bytes.push(Number.parseInt(encoded.slice(index + 1, index + 3), 16));
      index += 2;
    } else {
      bytes.push(encoded.charCodeAt(index));
    }
  }
  return bytes;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function base64(bytes: number[]): string {
  let text = '';
  for (let index = 0; index < bytes.length; index += 3) {
    const [a = 0, b = 0, c = 0] = bytes.slice(index, index + 3);
    const bits = (a << 16) | (b << 8) | c;
    const letters = [18, 12, 6, 0].map((shift) => ALPHABET[(bits >> shift) & 63] ?? '');
    text += letters
      .slice(0, Math.min(3, bytes.length - index) + 1)
      .join('')
      .padEnd(4, '=');
  }
  return text;
}
