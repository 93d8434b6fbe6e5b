// isolated: it mocks timers
/** changes() and mirror() against servers that end, say nonsense, or send their bytes one by one. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { changes, createClient, mapStore, mirror, Unauthorized, UnreadableReply, type ChangeEvent } from '../../src/client/client.ts'
import { respondWith, serverThat } from '../support/service/scripted-http.ts'

const EVENTS = { 'content-type': 'text/event-stream; charset=utf-8' }
const change = (seq: number, more: object = { deleted: true }): string =>
  JSON.stringify({ seq, model: 'topic', id: `t${seq}`, at: '2026-03-01T12:00:00.000Z', ...more })

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

async function sendSlowly(response: ServerResponse, text: string): Promise<void> {
  response.writeHead(200, EVENTS)
  for (const byte of Buffer.from(text)) await new Promise((resolve) => response.write(Buffer.of(byte), resolve))
}

describe('changes()', () => {
  it('reads events as the standard has them, goes on behind the last one, and throws what no other try can mend', async (t) => {
    const text =
      `retry: 1\r\n\r\n: comment\r\rid: 1.r.a\ndata: ${change(1).replace(',', ',\ndata: ')}\n\nid: 2.r.a\r\nevent: resync\r\ndata: {"next":"2.r.a"}\r\n\r\n` +
      `id: 3.r.a\nother: x\ndata:${change(3, { deleted: false, document: { id: 't3', name: 'Fähre\u2028' } })}\n\ndata: cut off`
    const { url, seen } = await serverThat(t, ({ url: asked }, response) => {
      if (asked?.includes('since=3.r.a') === true) respondWith(401, '{"error":{"code":"unauthorized","message":"Sign in"}}')({} as never, response)
      else void sendSlowly(response, text).then(() => response.end())
    })
    const all: ChangeEvent<'topic'>[] = []
    const following = async (): Promise<void> => {
      for await (const event of changes(createClient({ url, token: 'a' }), { models: ['topic'], since: '0.r.a' })) all.push(event)
    }
    await assert.rejects(following(), Unauthorized)
    assert.deepEqual(all.map(({ kind, next }) => [kind, next]), [['change', '1.r.a'], ['resync', '2.r.a'], ['change', '3.r.a']])
    const last = all[2]
    assert.ok(last?.kind === 'change' && !last.change.deleted)
    assert.equal(last.change.document.name, 'Fähre\u2028')
    assert.deepEqual(seen, ['0', '3'].map((seq) => `GET /api/v1/changes/stream?models=topic&since=${seq}.r.a`))
  })

  it('tells who else edits what beside the changes, which go on behind that event', async (t) => {
    const people = [{ model: 'headline', id: '1', people: ['a'] }]
    const { url, seen } = await serverThat(t, (_request, response) => {
      response.writeHead(200, EVENTS).end(`id: 1.r.a\nevent: presence\ndata: ${JSON.stringify({ items: people })}\n\nid: 2.r.a\ndata: ${change(2)}\n\n`)
    })
    const told: unknown[] = []
    const events = changes(createClient({ url }), { since: '0.r.a', editing: ['headline:1'], onPresence: (edited) => told.push(edited) })
    assert.equal((await events.next()).value?.next, '2.r.a')
    assert.deepEqual([told, seen], [[people], ['GET /api/v1/changes/stream?since=0.r.a&editing=headline%3A1']])
    await events.return()
  })

  it('rejects a stream that is none, and events that are no JSON', async (t) => {
    for (const [type, body] of [['text/html', '<h1>Sign in to the network</h1>'], ['text/event-stream', 'data: <h1>\n\n']] as const) {
      const { url } = await serverThat(t, respondWith(200, body, { 'content-type': type }))
      await assert.rejects(changes(createClient({ url }), { since: '0' }).next(), UnreadableReply)
    }
  })

  it('opens a stream again that has been silent for three comments: its network may be lost', async (t) => {
    let streams = 0
    const { url, seen } = await serverThat(t, (_request, response) => {
      streams++
      response.writeHead(200, EVENTS).write(`id: ${streams}.r.a\ndata: ${change(streams)}\n\n`)
    })
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const events = changes(createClient({ url }), { since: '0.r.a' })
    assert.equal((await events.next()).value?.next, '1.r.a')
    const second = events.next()
    await nextTurn()
    t.mock.timers.tick(44_999)
    await nextTurn()
    assert.equal(seen.length, 1)
    t.mock.timers.tick(1)
    await nextTurn()
    t.mock.timers.tick(1_000)
    assert.equal((await second).value?.next, '2.r.a')
    assert.equal(seen[1], 'GET /api/v1/changes/stream?since=1.r.a')
    await events.return()
  })

  it('ends by its signal, also between two tries', async (t) => {
    const { url } = await serverThat(t, respondWith(503))
    const stop = new AbortController()
    const next = changes(createClient({ url }), { since: '0' }, { signal: stop.signal }).next()
    stop.abort(new Error('enough'))
    await assert.rejects(next, /enough|aborted/)
  })
})

describe('mirror()', () => {
  it('reads the lists first, takes each change, and leaves out what is gone', async (t) => {
    const { url } = await serverThat(t, ({ url: asked = '' }, response) => {
      if (asked.includes('changes/stream')) {
        response.writeHead(200, EVENTS).write(`id: 8.r.a\ndata: ${change(8, { deleted: false, document: { id: 't8' } })}\n\nid: 9.r.a\ndata: ${change(1)}\n\n`)
      } else if (asked.includes('changes?')) response.end('{"data":{"items":[],"next":"7.r.a","hasMore":false}}')
      else response.end('{"data":{"items":[{"id":"t1"},{"id":"t2"}],"cursor":null,"hasMore":false}}')
    })
    const documents = new Map<string, never>([['old', {} as never]])
    const store = mapStore(documents)
    const copy = mirror(createClient({ url }), 'topic', { store })
    const ids: string[][] = []
    for (let i = 0; i < 3; i++) {
      await copy.next()
      ids.push([...documents.keys()])
    }
    await copy.return()
    assert.deepEqual(ids, [['t1', 't2'], ['t1', 't2', 't8'], ['t2', 't8']])
    assert.equal(await store.next(), '9.r.a')
  })

  it('reads its copy again as soon as a service that tells it to is there again', async (t) => {
    let lists = 0
    const failed = Promise.withResolvers<void>()
    const { url } = await serverThat(t, ({ url: asked = '' }, response) => {
      if (asked.includes('changes/stream')) response.writeHead(200, EVENTS).write('id: 8.r.a\nevent: resync\ndata: {"next":"8.r.a"}\n\n')
      else if (asked.includes('changes?')) response.end('{"data":{"items":[],"next":"7.r.a","hasMore":false}}')
      else if (++lists === 2) {
        response.on('close', failed.resolve)
        response.writeHead(503).end()
      } else response.end(`{"data":{"items":[{"id":"t${lists}"}],"cursor":null,"hasMore":false}}`)
    })
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const documents = new Map<string, never>()
    const copy = mirror(createClient({ url }), 'topic', { store: mapStore(documents) })
    await copy.next()
    assert.deepEqual([...documents.keys()], ['t1'])
    let isRead = false
    const again = copy.next().finally(() => (isRead = true))
    await failed.promise
    for (; !isRead; await nextTurn()) t.mock.timers.tick(1_000)
    assert.equal((await again).value?.kind, 'resync')
    assert.deepEqual([lists, [...documents.keys()]], [3, ['t3']])
    await copy.return()
  })
})
