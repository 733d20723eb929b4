import { copyField } from './copy-field.ts';

/* Adds a button that copies a new API token. Without this file, people select the text. */
const field = document.getElementById('token');
const container = document.getElementById('copy-token');

if (field instanceof HTMLInputElement && container !== null) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  const status = document.createElement('span');
  status.role = 'status';
  const copy = async (): Promise<void> => {
    status.textContent = `${await copyField(field)}.`;
  };
  button.addEventListener('click', () => void copy());
  container.append(button, status);
}
