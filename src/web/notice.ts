type NoticeId = 'notice' | 'connection';

/**
 * Shows a message above the page until the viewer closes it. Screen readers announce the message. It replaces
 * an earlier message with the same id.
 */
export function showNotice(message: string, id: NoticeId = 'notice'): void {
  const notice = document.createElement('div');
  notice.className = 'notice';
  notice.id = id;
  const words = document.createElement('p');
  words.setAttribute('role', 'alert');
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'quiet';
  close.textContent = 'Close';
  close.addEventListener('click', () => hideNotice(id));
  notice.append(words, close);
  hideNotice(id);
  document.body.append(notice);
  // Screen readers announce only changes of an alert, so the text is set once the alert is in the document.
  words.textContent = message;
}

export function hideNotice(id: NoticeId = 'notice'): void {
  document.getElementById(id)?.remove();
}
