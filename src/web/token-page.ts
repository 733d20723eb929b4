/* Copies a new API token, which is shown once. Without this file, people select the text. */
const field = document.getElementById('token');
const place = document.getElementById('copy-token');

if (field instanceof HTMLInputElement && place !== null) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  const said = document.createElement('span');
  said.role = 'status';
  button.addEventListener('click', () => void copy(field, said));
  place.append(button, said);
}

async function copy(from: HTMLInputElement, said: HTMLElement): Promise<void> {
  from.select();
  try {
    await navigator.clipboard.writeText(from.value);
    said.textContent = 'Copied.';
  } catch {
    // Browsers refuse this over plain HTTP, and people may refuse it.
    said.textContent = 'Selected: copy it with the keyboard.';
  }
}
