/** Shows a message above the page, where screen readers announce it, until the viewer closes it. */
export function showNotice(message: string): void {
  const notice = document.createElement('div');
  notice.className = 'notice';
  notice.id = 'notice';
  const words = document.createElement('p');
  words.setAttribute('role', 'alert');
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'quiet';
  close.textContent = 'Close';
  close.addEventListener('click', hideNotice);
  notice.append(words, close);
  hideNotice();
  document.body.append(notice);
  // After it is in the document: a screen reader announces what changes in an alert.
  words.textContent = message;
}

export function hideNotice(): void {
  document.getElementById('notice')?.remove();
}
