/**
 * The header block of a response, rendered here.
 *
 * Node's writeHead() checks each name and value, and looks for those with a meaning, for every response again, which takes as long
 * as all else that Node does for one. Here what never changes is rendered once, and only what a handler gave is checked.
 *
 * The block is put where Node keeps the one that it rendered itself (node-internals.ts). Where Node has no such place,
 * writeHead() gets the same lines, as it does for HTTP/1.0, whose connections have rules of their own.
 */
import { STATUS_CODES, validateHeaderName, validateHeaderValue, type ServerResponse } from 'node:http'
import { setNewest } from '../base/bounded-map.ts'
import type { Clock } from '../base/clock.ts'
import { putHeader } from './node-internals.ts'

export interface ResponseHead {
  readonly status: number
  /** Lines of headers, each ending in CRLF. Without `Date` and `Connection`. */
  readonly lines: string
  /** No further request is served on this connection. */
  readonly isLast: boolean
}

/** One line of a header block. Throws a TypeError for a name or a value that HTTP does not allow. */
export function headerLine(name: string, value: string): string {
  const before = latest.get(name)
  if (before?.value === value) return before.line
  if (before === undefined) validateHeaderName(name)
  validateHeaderValue(name, value)
  const line = `${name}: ${value}\r\n`
  if (before === undefined) setNewest(latest, name, { value, line }, NAMES_MAX)
  else [before.value, before.line] = [value, line]
  return line
}

/** The latest line of each name, which is valid. */
const latest = new Map<string, { value: string; line: string }>()
const NAMES_MAX = 100

/** Lines of names and values in turn. */
export function headerLines(flat: readonly string[]): string {
  let lines = ''
  for (let i = 0; i < flat.length; i += 2) lines += headerLine(flat[i] ?? '', flat[i + 1] ?? '')
  return lines
}

/** Returns the function that gives a response its header block, to be sent with the first bytes of its body. */
export function createHeadWriter({ now, keepAliveSeconds }: { readonly now: Clock; readonly keepAliveSeconds: number }) {
  const keepAlive = `Keep-Alive: timeout=${keepAliveSeconds}\r\n`
  const dateLine = createDateLine(now)
  return (response: ServerResponse, { status, lines, isLast }: ResponseHead): void => {
    const stays = !isLast && response.shouldKeepAlive
    if (response.req.httpVersion === '1.1') {
      const connection = stays ? `${keepAlive}Connection: keep-alive\r\n` : 'Connection: close\r\n'
      const block = `${startLine(status)}${lines}${dateLine()}${connection}\r\n`
      if (putHeader(response, { status, block, isLast: !stays })) return
    }
    response.writeHead(status, [...pairsOf(stays ? lines + keepAlive : lines), ...(isLast ? ['Connection', 'close'] : [])])
  }
}

const startLines = new Map<number, string>()

function startLine(status: number): string {
  let line = startLines.get(status)
  if (line === undefined) startLines.set(status, (line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`))
  return line
}

/** RFC 9110 section 6.6.1; rendered once a second. */
function createDateLine(now: Clock): () => string {
  let [second, line] = [Number.NaN, '']
  return () => {
    const current = Math.floor(now() / 1000)
    if (current !== second) line = `Date: ${new Date(current * 1000).toUTCString()}\r\n`
    second = current
    return line
  }
}

function pairsOf(lines: string): string[] {
  return lines.split('\r\n').slice(0, -1).flatMap((line) => {
    const colon = line.indexOf(': ')
    return [line.slice(0, colon), line.slice(colon + 2)]
  })
}
