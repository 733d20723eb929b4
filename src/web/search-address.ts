/** The address of the page that finds versions with this text, beginning with the newest version. */
export function addressOf(page: string, text: string): string {
  const url = new URL(page);
  url.searchParams.delete('before');
  url.searchParams.delete('webhook');
  if (text.trim() === '') url.searchParams.delete('text');
  else url.searchParams.set('text', text.trim());
  url.hash = '';
  return url.href;
}
