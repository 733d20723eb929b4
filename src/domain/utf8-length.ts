/**
 * Most texts have only ASCII characters. Testing for others takes a fraction of the time of counting bytes.
 */
const NOT_ASCII = /[\u0080-\uffff]/;

/** Number of bytes of the text in UTF-8. */
export function utf8Length(text: string): number {
  if (!NOT_ASCII.test(text)) return text.length;
  let length = text.length;
  for (let index = 0; index < text.length; index += 1) length += extraBytes(text.charCodeAt(index));
  return length;
}

/** The longest start of the text that has at most this number of bytes in UTF-8. */
export function firstBytes(text: string, bytes: number): string {
  let [index, length] = [0, 0];
  while (index < text.length) {
    length += 1 + extraBytes(text.charCodeAt(index));
    if (length > bytes) break;
    index += 1;
  }
  const cut = text.slice(0, index);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/**
 * How many bytes of UTF-8 a UTF-16 code unit needs besides the first one. Each half of a surrogate pair
 * counts as two of the four bytes that the pair needs.
 */
function extraBytes(unit: number): number {
  if (unit < 0x80) return 0;
  return unit < 0x8_00 || (unit >= 0xd8_00 && unit < 0xe0_00) ? 1 : 2;
}
