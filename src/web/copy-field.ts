/**
 * Copies the text of a field. If the browser refuses, only selects the text. Returns in words what happened.
 */
export async function copyField(field: HTMLInputElement): Promise<string> {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return 'Copied';
  } catch {
    // Browsers refuse this over plain HTTP, and people may refuse it.
    return 'Selected: copy it with the keyboard';
  }
}
