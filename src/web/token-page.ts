import { copyField } from './copy-field.ts';

/* Copies a new API token, which is shown once. Without this file, people select the text. */
const field = document.getElementById('token');
const place = document.getElementById('copy-token');

if (field instanceof HTMLInputElement && place !== null) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  const said = document.createElement('span');
  said.role = 'status';
  const copy = async (): Promise<void> => {
    said.textContent = `${await copyField(field)}.`;
  };
  button.addEventListener('click', () => void copy());
  place.append(button, said);
}
