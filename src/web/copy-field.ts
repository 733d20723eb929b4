/** Selects a field's text, and copies it unless the browser refuses. Returns a message for the viewer. */
export async function copyField(field: HTMLInputElement): Promise<string> {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return 'Copied';
  } catch {
    // Browsers refuse this over plain HTTP or if the viewer forbids it.
    return 'Selected: copy it with the keyboard';
  }
}
