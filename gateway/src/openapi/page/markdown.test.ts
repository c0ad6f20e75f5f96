import { expect, test } from 'vitest';
import { html } from './html.js';
import { markdown } from './markdown.js';

test('escapes what is put in, but not what is HTML already', () => {
  expect(html`<b title="${'"'}">${"<&'"}${html`<i>${1}</i>`}${undefined}${[html`a`, 'b']}</b>`.text).toBe(
    '<b title="&quot;">&lt;&amp;&#39;<i>1</i>ab</b>',
  );
});

test('shows paragraphs, headings, lists, code and strong text', () => {
  expect(markdown('## A\n\none\ntwo `<x>`\n\n- **a** b\n- c').text).toBe(
    '<h3>A</h3><p>one two <code>&lt;x&gt;</code></p><ul><li><strong>a</strong> b</li><li>c</li></ul>',
  );
  expect(markdown('<script>').text).toBe('<p>&lt;script&gt;</p>');
});
