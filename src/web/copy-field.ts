/** Copies what a field contains, or selects it where the browser refuses. Returns what happened, in words. */
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
