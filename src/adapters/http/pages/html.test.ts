import { describe, expect, test } from '@jest/globals';
import { html } from './html.ts';

describe('the html template', () => {
  const texts: Record<string, [text: string, expected: string]> = {
    'a tag': ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    'the end of an attribute': ['" onclick="x', '&quot; onclick=&quot;x'],
    'the end of an attribute in single quotes': ["' onclick='x", '&#39; onclick=&#39;x'],
    'an entity': ['&lt;', '&amp;lt;'],
    'the start of a comment': ['<!--', '&lt;!--'],
    'a null byte and an escape character': ['a\u0000b\u001b[31m', 'a\ufffdb\ufffd[31m'],
    'characters that reverse the text direction': ['a\u202eb\u2066c', 'a\ufffdb\ufffdc'],
    'letters of any script': ['Ärger 漢字 🙂\n\t', 'Ärger 漢字 🙂\n\t'],
    'a replacement pattern': ['$& $1', '$&amp; $1'],
  };
  test.each(Object.entries(texts))('escapes %s', (_name, [text, expected]) => {
    expect(html`<p title="${text}">${text}</p>`.text).toBe(`<p title="${expected}">${expected}</p>`);
  });

  test('does not escape nested HTML, alone or in lists', () => {
    const item = html`<b>${'<'}</b>`;
    expect(html`<i>${[item, item]}${item}</i>`.text).toBe('<i><b>&lt;</b><b>&lt;</b><b>&lt;</b></i>');
  });

  test('renders undefined as nothing and zero as a number', () => {
    expect(html`${undefined}${false}${0}`.text).toBe('0');
  });
});
