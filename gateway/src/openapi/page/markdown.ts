import { type Html, html } from './html.js';

/** Shows code spans and strong text of one line. */
export function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/);
  return html`${parts.map((part) => {
    if (part.startsWith('`') && part.length > 1) return html`<code>${part.slice(1, -1)}</code>`;
    return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : html`${part}`;
  })}`;
}

/**
 * Shows the few forms of Markdown that the document's texts use: paragraphs, lists, second-level
 * headings, code spans and strong text. Anything else is shown as it is written.
 */
export function markdown(text: string): Html {
  return html`${text.split(/\n{2,}/).map((block) => {
    const lines = block.split('\n');
    if (block.startsWith('## ')) return html`<h3>${inline(block.slice(3))}</h3>`;
    if (lines.every((line) => line.startsWith('- ')))
      return html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`;
    return html`<p>${inline(lines.join(' '))}</p>`;
  })}`;
}
