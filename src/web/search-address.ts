/** The address of the page with this text, from its newest version on. */
export function addressOf(page: string, text: string): string {
  const url = new URL(page);
  url.searchParams.delete('before');
  url.searchParams.delete('webhook');
  if (text.trim() === '') url.searchParams.delete('text');
  else url.searchParams.set('text', text.trim());
  url.hash = '';
  return url.href;
}
