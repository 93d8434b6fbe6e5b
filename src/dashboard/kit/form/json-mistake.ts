/**
 * Where a text stops being JSON (RFC 8259): browsers tell that in words of their own, or not at all.
 *
 * The text is read token by token, with a stack of the open brackets, so that depth costs no more than length.
 */

const SPACE = /[ \t\n\r]*/y
const TOKEN =
  /[[\]{},:]|"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy

type Wanted = 'value' | 'item or end' | 'name' | 'name or end' | 'colon' | 'more or end'

/** The offset of the first token that cannot stand where it does; the length of the text where it ends too early. */
export function jsonMistakeAt(text: string): number | undefined {
  const open: string[] = []
  let wanted: Wanted = 'value'
  let at = 0
  for (;;) {
    SPACE.lastIndex = at
    SPACE.test(text)
    at = SPACE.lastIndex
    const isWhole = wanted === 'more or end' && open.length === 0
    if (at === text.length) return isWhole ? undefined : at
    TOKEN.lastIndex = at
    const token = TOKEN.exec(text)?.[0]
    if (token === undefined || isWhole) return at
    const next = step(token, wanted, open)
    if (next === undefined) return at
    wanted = next
    at += token.length
  }
}

/** The place of an offset, counted from 1; that of the end without one. */
export function placeIn(text: string, at: number | undefined): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, at).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** What may come after a token; undefined where the token itself may not come. */
function step(token: string, wanted: Wanted, open: string[]): Wanted | undefined {
  const end = open.at(-1) === '[' ? ']' : '}'
  if (token === ']' || token === '}') {
    const mayEnd = wanted === 'more or end' || (wanted === 'item or end' && token === ']') || wanted === 'name or end'
    if (!mayEnd || token !== end) return undefined
    open.pop()
    return 'more or end'
  }
  if (wanted === 'more or end') return token !== ',' ? undefined : end === ']' ? 'value' : 'name'
  if (wanted === 'colon') return token === ':' ? 'value' : undefined
  if (wanted === 'name' || wanted === 'name or end') return token.startsWith('"') ? 'colon' : undefined
  if (token === ',' || token === ':') return undefined
  if (token !== '[' && token !== '{') return 'more or end'
  open.push(token)
  return token === '[' ? 'item or end' : 'name or end'
}
