/** A reader of server-sent events over a connection of its own, as the HTML standard parses them (section 9.2.6). */
import assert from 'node:assert/strict'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import type { JsonObject } from '../../../src/base/json.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'

export interface SeenEvent {
  readonly event: string
  readonly id: string
  readonly data: JsonObject
}

export interface EventReader {
  readonly status: number
  readonly response: IncomingMessage
  /** The body of a response that is no stream. */
  readonly text: () => Promise<string>
  readonly comments: () => number
  readonly retry: () => number | undefined
  readonly lastId: () => string
  /** The next events, as many as are wanted. Fails where the stream ends before. */
  readonly next: (count?: number) => Promise<readonly SeenEvent[]>
  /** Events that have arrived and were not asked for yet. */
  readonly waiting: () => readonly SeenEvent[]
  /** Resolves when the other side has ended the stream. */
  readonly ended: Promise<void>
  readonly close: () => void
}

export function openEvents(t: Cleanup, url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
  const outgoing = request(url, { headers: { accept: 'text/event-stream', ...headers }, agent: false })
  t.after(() => void outgoing.destroy())
  const { promise, resolve, reject } = Promise.withResolvers<EventReader>()
  outgoing.once('error', reject).once('response', (response) => resolve(readerOf(outgoing, response)))
  outgoing.end()
  return promise
}

function readerOf(outgoing: ClientRequest, response: IncomingMessage): EventReader {
  const parse = createEventParser()
  let wake = (): void => {}
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let hasEnded = false
  let text = ''
  const onEnd = (): void => {
    hasEnded = true
    end()
    wake()
  }
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    if (response.statusCode === 200) parse.add(chunk)
    wake()
  })
  outgoing.on('error', onEnd)
  response.on('error', onEnd).on('close', onEnd).on('end', onEnd)
  return {
    status: response.statusCode ?? 0,
    response,
    text: async () => (await ended, text),
    comments: () => parse.comments,
    retry: () => parse.retry,
    lastId: () => parse.lastId,
    async next(count = 1) {
      while (parse.events.length < count) {
        assert.ok(!hasEnded, `the stream ended with ${parse.events.length} of ${count} events`)
        await new Promise<void>((resolve) => (wake = resolve))
      }
      return parse.events.splice(0, count)
    },
    waiting: () => [...parse.events],
    ended,
    close: () => void outgoing.destroy(),
  }
}

/** Blank lines end an event; one without data is none, and keeps its id. */
function createEventParser() {
  const parser = {
    events: [] as SeenEvent[],
    comments: 0,
    retry: undefined as number | undefined,
    lastId: '',
    add(chunk: string): void {
      rest += chunk
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) read(line)
    },
  }
  let rest = ''
  let [event, data] = ['', [] as string[]]
  const read = (line: string): void => {
    if (line === '') {
      const text = data.join('\n')
      if (text !== '') parser.events.push({ event: event === '' ? 'message' : event, id: parser.lastId, data: JSON.parse(text) as JsonObject })
      event = ''
      data = []
      return
    }
    if (line.startsWith(':')) {
      parser.comments++
      return
    }
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id') parser.lastId = value
    else if (name === 'retry') parser.retry = Number(value)
    else assert.fail(`a field ${JSON.stringify(line)} that the standard does not know`)
  }
  return parser
}
