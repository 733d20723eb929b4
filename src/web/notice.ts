/** Shows a message above the page until the viewer closes it. Screen readers announce the message. */
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
  // Screen readers announce only changes of an alert, so the text is set once the alert is in the document.
  words.textContent = message;
}

export function hideNotice(): void {
  document.getElementById('notice')?.remove();
}
