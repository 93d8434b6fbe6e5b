/** A response as it came: its status, time and headers, and its body as text and never as anything else. */
import { parseExactly } from '../../exact-json.ts'
import { button, fill, h, type Child } from '../../kit/dom.ts'
import { docsText } from './docs-texts.ts'

/** A browser lays out so much text without a pause that can be felt. */
const SHOWN_CHARS = 12_000
/** RFC 7519, section 3: three parts in base64url, the first of which begins with `{"`. */
const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g
export const HIDDEN = '(a token, which is not shown)'

/** Reads a response to its end. A body that is neither JSON nor text is counted and not shown. */
export async function responseView(response: Response, milliseconds: number, token: string | undefined): Promise<Child> {
  const { status, statusText } = response
  const isText = /^(?:text\/|application\/(?:json|problem\+json))/.test(response.headers.get('content-type') ?? '')
  const body = await response.blob()
  const headers = [...response.headers].map(([name, value]) => [
    h('dt', {}, name),
    h('dd', {}, withoutTokens(value, token)),
  ])
  const kind = status < 300 ? 'good' : status < 500 ? 'warn' : 'bad'
  const noText = docsText(body.size === 0 ? 'docs.emptyBody' : 'docs.fileBody')
  return [
    h(
      'p',
      { class: 'line' },
      h('span', { class: `tag ${kind}` }, `${status} ${statusText}`.trim()),
      h('span', { class: 'soft' }, docsText('docs.timeAndSize', { ms: milliseconds, count: body.size })),
    ),
    fold(`${docsText('docs.headers')} (${headers.length})`, h('dl', { lang: 'en', dir: 'ltr' }, headers)),
    isText && body.size > 0
      ? longText(withoutTokens(indented(await body.text()), token), docsText('docs.responseBody'))
      : h('p', { class: 'soft' }, noText),
  ]
}

export function fold(summary: Child, ...children: readonly Child[]): HTMLElement {
  return h('details', {}, h('summary', {}, summary), children)
}

/** A text that may be long: cut, with a button that shows all of it. */
export function longText(text: string, label: string): HTMLElement {
  const code = h('code', {}, text.slice(0, SHOWN_CHARS))
  const pre = h('pre', { tabindex: '0', role: 'group', 'aria-label': label, dir: 'ltr' }, code)
  if (text.length <= SHOWN_CHARS) return pre
  const showAll = (): void => {
    fill(code, text)
    all.remove()
    pre.focus()
  }
  const title = docsText('docs.showAll', { count: text.length })
  const all = button(title, showAll)
  return h('div', {}, pre, all)
}

/** A number that no double can hold stays as it came. */
export function indented(text: string): string {
  try {
    return JSON.stringify(parseExactly(text), null, 2)
  } catch {
    return text
  }
}

/** Takes out tokens: the reader's own, and those that responses to signing in contain. */
export function withoutTokens(text: string, token: string | undefined): string {
  const rest = token === undefined || token === '' ? text : text.replaceAll(token, HIDDEN)
  return rest.replaceAll(TOKEN, HIDDEN)
}
