/**
 * The style sheet of the pages of publications. It stands in each page: a browser paints the page without a second request, and a
 * page that a cache keeps has the style that it was made for. The policy of pages lets in this one text, by its hash.
 * https://www.w3.org/TR/CSP3/#external-hash
 */
import { createHash } from 'node:crypto'
import { Html } from '../base/html.ts'

/**
 * Colours are those of the dashboard (dashboard/styles/tokens.css), whose contrasts a test computes. Only logical properties, so
 * that a page in Arabic is laid out from the right. Letters of Arabic join, so they are never spaced or slanted.
 */
const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fbfaf7, #121416);
  --ink: light-dark(#1d1c1a, #ebe8e2);
  --soft: light-dark(#5c5750, #aaa59c);
  --line: light-dark(#dcd8ce, #2d3236);
  --edge: light-dark(#86807a, #7d7a74);
  --rule: light-dark(#1d1c1a, #aaa59c);
  --sunken: light-dark(#eeece6, #1d2124);
  --accent: light-dark(#0c5563, #79c7d6);
  --serif: 'Iowan Old Style', 'Palatino Linotype', Palatino, 'Source Serif 4', 'Noto Serif', 'Noto Naskh Arabic', Georgia, serif;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans Arabic', sans-serif;
}
* { box-sizing: border-box; margin: 0; }
html { background: var(--ground); color: var(--ink); font: 100%/1.5 var(--serif); scrollbar-gutter: stable; -webkit-text-size-adjust: 100%; }
body { max-width: 76rem; margin-inline: auto; padding: 0 max(1.125rem, env(safe-area-inset-left)) 3rem; overflow-wrap: break-word; }
a { color: inherit; text-decoration: none; }
a:hover { text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 2px; }
time { white-space: nowrap; }
.skip { position: absolute; inset-block-start: -9rem; inset-inline-start: 1rem; padding: .5rem 1rem; background: var(--ink); color: var(--ground); font: .875rem var(--sans); }
.skip:focus { inset-block-start: .5rem; z-index: 1; }
.bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem; padding-block: .75rem; font: .8125rem/1.4 var(--sans); color: var(--soft); }
[dir=auto] { text-align: match-parent; }
form { display: flex; flex: 1 1 10rem; border: 1px solid var(--edge); border-radius: 2rem; overflow: hidden; }
form:focus-within { border-color: var(--accent); outline: 1px solid var(--accent); }
label, .seen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
input, button { min-height: 2.25rem; border: 0; background: none; color: var(--ink); font: inherit; }
input { flex: 1; width: 9rem; min-width: 0; padding-inline: .875rem .25rem; outline: 0; }
button { color: var(--accent); font-weight: 600; cursor: pointer; padding-inline: .5rem .875rem; }
button:hover { text-decoration: underline; }
.masthead { border-block-start: 3px solid var(--rule); padding-block: 1.5rem 1.25rem; text-align: center; }
h1 { font-size: clamp(2.125rem, 1.3rem + 4.4vw, 4.5rem); line-height: 1.08; font-weight: 700; letter-spacing: -.022em; text-wrap: balance; }
h1 a:hover { text-decoration: none; }
.about { margin-block-start: .5rem; color: var(--soft); font-style: italic; font-size: 1.0625rem; text-wrap: balance; }
.topics { border-block: 1px solid var(--line); font: .875rem/1.4 var(--sans); }
.topics ul { display: flex; flex-wrap: wrap; justify-content: center; gap: 0 .5rem; padding: .25rem 0; list-style: none; }
.topics a { display: block; padding: .5rem .625rem; }
.chosen { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; padding-block: 1.75rem .5rem; }
.chosen h2 { font-size: 1.75rem; line-height: 1.2; }
.chosen a, .pages a { color: var(--accent); font: .875rem/2.25rem var(--sans); }
.day { padding-block-start: 2rem; }
.day > h2 { padding-block-end: .5rem; border-block-end: 1px solid var(--rule); font: 600 .8125rem/1.4 var(--sans); color: var(--soft); letter-spacing: .02em; }
.today { padding-block-start: .375rem; }
.stories { display: grid; grid-template-columns: minmax(0, 1fr); column-gap: 2.25rem; }
article { display: flex; align-items: flex-start; gap: 1rem; padding-block: 1.125rem; border-block-end: 1px solid var(--line); }
article > div { flex: 1; min-width: 0; }
img { display: block; flex: none; width: 6.5rem; height: auto; aspect-ratio: 4 / 3; object-fit: cover; border-radius: 2px; background: var(--sunken); color: var(--soft); font: .75rem/1.35 var(--sans); overflow: hidden; }
.kicker, .meta { font: .8125rem/1.5 var(--sans); color: var(--soft); }
.kicker { color: var(--accent); font-weight: 600; margin-block-end: .125rem; }
.kicker span { color: var(--soft); font-weight: 400; }
h3 { font-size: 1.1875rem; line-height: 1.28; font-weight: 650; letter-spacing: -.006em; text-wrap: balance; }
.excerpt { margin-block-start: .375rem; font-size: .9844rem; line-height: 1.52; color: color-mix(in srgb, var(--ink) 86%, var(--ground)); display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 5; overflow: hidden; }
.meta { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .75rem; margin-block-start: .375rem; }
.meta a, .kicker a { display: inline-block; padding-block: .125rem; }
.empty, h1.empty { padding-block: 4rem; text-align: center; color: var(--soft); font-style: italic; font-size: 1.125rem; font-weight: 400; letter-spacing: 0; line-height: 1.5; }
.pages { display: flex; justify-content: center; gap: 2rem; padding-block: 1.75rem; }
.pages a { padding-inline: 1rem; border: 1px solid var(--line); border-radius: 2rem; }
footer { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .25rem 1.5rem; margin-block-start: 1rem; padding-block-start: 1rem; border-block-start: 3px solid var(--rule); font: .8125rem/1.6 var(--sans); color: var(--soft); }
footer p { display: flex; flex-wrap: wrap; gap: 0 1rem; }
footer a { padding-block: .25rem; text-decoration: underline; text-decoration-color: var(--line); text-underline-offset: .2em; }
[dir=rtl] * { letter-spacing: 0; font-style: normal; }
[dir=rtl] :is(h1, h3) { line-height: 1.4; }
.lead { flex-direction: column-reverse; align-items: stretch; }
.lead img { width: 100%; aspect-ratio: 3 / 2; }
.lead h3 { font-size: 1.625rem; line-height: 1.16; letter-spacing: -.012em; }
@media (min-width: 40rem) {
  body { padding-inline: 2rem; }
  form { flex: none; }
  .stories { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .lead { grid-column: 1 / -1; flex-direction: row; gap: 2.25rem; align-items: center; padding-block: 1.5rem; }
  .lead > div { max-width: 46rem; }
  .lead img { width: 50%; }
  .lead h3 { font-size: clamp(1.625rem, 1rem + 2vw, 2.375rem); line-height: 1.14; letter-spacing: -.015em; }
  .lead .excerpt { font-size: 1.0625rem; margin-block-start: .625rem; }
}
@media (min-width: 64rem) {
  .stories { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .lead img { width: 56%; }
}
@media print {
  :root { color-scheme: light; --ground: #fff; }
  body { padding: 0; max-width: none; font-size: 10pt; }
  .skip, form, .topics, .pages, footer p:last-child { display: none; }
  .stories { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  article { break-inside: avoid; }
  .day > h2 { break-after: avoid; }
}
`

/** Without line breaks and indentation. */
const PAGE_STYLE = STYLE.replaceAll(/\n\s*/g, '')

export const PAGE_STYLE_ELEMENT = new Html(`<style>${PAGE_STYLE}</style>`)

/** As a source of `style-src`. */
export const PAGE_STYLE_SOURCE = `'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`
