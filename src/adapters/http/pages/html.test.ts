import { describe, expect, test } from '@jest/globals';
import { html } from './html.ts';

describe('what stands in a page', () => {
  const texts: Record<string, [text: string, written: string]> = {
    'a tag': ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    'the end of an attribute': ['" onclick="x', '&quot; onclick=&quot;x'],
    'the end of one in single quotes': ["' onclick='x", '&#39; onclick=&#39;x'],
    'an entity': ['&lt;', '&amp;lt;'],
    'what begins a comment': ['<!--', '&lt;!--'],
    'a null and an escape': ['a\u0000b\u001b[31m', 'a\ufffdb\ufffd[31m'],
    'letters that turn the writing around': ['a\u202eb\u2066c', 'a\ufffdb\ufffdc'],
    'letters of any script': ['Ärger 漢字 🙂\n\t', 'Ärger 漢字 🙂\n\t'],
    'what would be a pattern of a replacement': ['$& $1', '$&amp; $1'],
  };
  test.each(Object.entries(texts))('%s is written as text', (_name, [text, written]) => {
    expect(html`<p title="${text}">${text}</p>`.text).toBe(`<p title="${written}">${written}</p>`);
  });

  test('HTML stays what it is, alone and in lists', () => {
    const item = html`<b>${'<'}</b>`;
    expect(html`<i>${[item, item]}${item}</i>`.text).toBe('<i><b>&lt;</b><b>&lt;</b><b>&lt;</b></i>');
  });

  test('nothing is nothing, and zero is a number', () => {
    expect(html`${undefined}${false}${0}`.text).toBe('0');
  });
});
