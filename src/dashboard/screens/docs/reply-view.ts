/** A reply as it came: its status, the time it took, its headers, and its body as text and never as anything else. */
import { parseExactly } from '../../exact-json.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { lazyDetails } from './lazy-details.ts'
import { shownJson } from './loose-json.ts'
import { withoutTokens } from './secret-words.ts'

/** A browser writes so much at once without a pause that can be felt. */
const SHOWN_CHARS = 12_000

export interface ShownReply {
  readonly status: number
  readonly statusText: string
  readonly milliseconds: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Undefined where it is no text. */
  readonly body: string | undefined
  readonly bytes: number
}

/** Reads a reply to its end. What is neither JSON nor text is counted and not shown. */
export async function readReply(
  response: Response,
  milliseconds: number,
  token: string | undefined,
): Promise<ShownReply> {
  const isText = /^(?:text\/|application\/(?:json|problem\+json))/.test(response.headers.get('content-type') ?? '')
  const blob = await response.blob()
  const show = (text: string): string => withoutTokens(text, token)
  return {
    status: response.status,
    statusText: response.statusText,
    milliseconds,
    headers: [...response.headers].map(([name, value]) => [name, show(value)] as const),
    body: isText ? show(indented(await blob.text())) : undefined,
    bytes: blob.size,
  }
}

export function replyView({ status, statusText, milliseconds, headers, body, bytes }: ShownReply): Child {
  const kind = status < 300 ? 'good' : status < 500 ? 'warn' : 'bad'
  return [
    h(
      'p',
      { class: 'reply-line' },
      h('span', { class: `tag ${kind}` }, `${status} ${statusText}`.trim()),
      h('span', { class: 'soft' }, `${milliseconds} ms, ${bytes.toLocaleString('en')} bytes`),
    ),
    lazyDetails({
      summary: `Headers (${headers.length})`,
      kind: 'nested',
      body: () =>
        h(
          'dl',
          { class: 'headers' },
          headers.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
        ),
    }),
    bytes === 0
      ? h('p', { class: 'soft' }, 'The reply has no body.')
      : body === undefined
        ? h('p', { class: 'soft' }, 'The body is a file, which is not shown here.')
        : longText(body, 'Body of the reply'),
  ]
}

/** A text that may be long: cut, with a button that shows all of it. */
export function longText(text: string, label: string): HTMLElement {
  const isCut = text.length > SHOWN_CHARS
  const code = h('code', {}, isCut ? text.slice(0, SHOWN_CHARS) : text)
  const pre = h('pre', { tabindex: '0', role: 'group', 'aria-label': label }, code)
  if (!isCut) return h('div', { class: 'code' }, pre)
  const all = h(
    'button',
    {
      type: 'button',
      on: {
        click() {
          fill(code, text)
          all.remove()
          pre.focus()
        },
      },
    },
    `Show all ${text.length.toLocaleString('en')} characters`,
  )
  return h('div', { class: 'code' }, pre, all)
}

function indented(text: string): string {
  try {
    return shownJson(parseExactly(text))
  } catch {
    return text
  }
}
