/** Parts of the page that several views have. */
import { attributes, html, joined, type Html, type Part } from '../base/html.ts'

/** Stands in the examples until the page puts its own URL there. */
export const SERVICE_URL = 'http://127.0.0.1:8080'

export interface SectionOptions {
  /** As `operations/list`: the id is this with a slash before it, so that a browser goes there by itself. */
  readonly path: string
  readonly title: Part
  readonly name: string
  /** As search results call it. */
  readonly kind?: string
  readonly level?: 2 | 3
}

export function section({ path, title, name, kind, level = 2 }: SectionOptions, ...children: readonly Part[]): Html {
  const heading = html`tabindex="-1" id="/${path}-title"`
  const search = { class: kind?.toLowerCase(), 'data-kind': kind, 'data-title': kind === undefined ? undefined : name }
  // Guides and their parts are no landmarks: others have the same names.
  const labelledBy = path.startsWith('guides/') ? undefined : `/${path}-title`
  return html`<section id="/${path}"${attributes({ 'aria-labelledby': labelledBy, ...search })}>
    <div class="line">
      ${level === 2 ? html`<h2 ${heading}>${title}</h2>` : html`<h3 ${heading}>${title}</h3>`}
      <a class="soft" href="${hrefTo(path)}" aria-label="Link to ${name}">#</a>
    </div>
    ${children}
  </section>`
}

export function hrefTo(path: string, query: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(query).toString()
  return `#/${path.split('/').map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`
}

export interface CodeOptions {
  readonly label: string
  readonly language?: string
  readonly variant?: string
  readonly isHidden?: boolean
}

/** One text; the page adds a button that copies the visible one of a `.code`. */
export function codeText(code: string, { label, language, variant, isHidden = false }: CodeOptions): Html {
  const parts = joined(code.split(SERVICE_URL), html`<span data-service>${SERVICE_URL}</span>`)
  const given = { 'aria-label': label, 'data-language': language, 'data-variant': variant, hidden: isHidden }
  return html`<pre tabindex="0" role="group"${attributes(given)}><code>${parts}</code></pre>`
}

export function codeBlock(code: string, label: string): Html {
  return html`<div class="code">${codeText(code, { label })}</div>`
}
