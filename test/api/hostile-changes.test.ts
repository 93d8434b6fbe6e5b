// also: threads
/** Changes and streams under attack: strangers, guests and publishers who want what is not theirs, or more than their share. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { newPerson, type Person } from '../support/cast.ts'
import { openEvents } from '../support/service/event-reader.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, guest, madeId: make } = await startSite({ hideInactive: 'on', streamsMax: '10', connectionsPerAddress: '0' })
const newReader = (): Promise<Person> => newPerson(service, 'standard', admin.token)

const streamUrl = (query: Readonly<Record<string, string>>): string =>
  `${service.url}/api/v1/changes/stream?${new URLSearchParams(query).toString()}`
const open = (t: TestContext, { token }: Pick<Person, 'token'>, query: Readonly<Record<string, string>> = { models: 'topic' }) =>
  openEvents(t, streamUrl(query), { authorization: `Bearer ${token}` })
const read = (query: Readonly<Record<string, string>>, { token }: Pick<Person, 'token'>): Promise<ApiResponse> =>
  service.call('GET', `/api/v1/changes?${new URLSearchParams(query).toString()}`, { token })
/** Resolves when the service has so many streams, or waiting requests. */
async function untilThereAre(count: number, kind: 'open' | 'waiting'): Promise<void> {
  const text = await (await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${admin.token}` } })).text()
  if (!text.includes(`dateline_change_streams{kind="${kind}"} ${count}\n`)) await untilThereAre(count, kind)
}
/** Resolves when the service has noticed that streams were closed. */
const allFree = (): Promise<void> => untilThereAre(0, 'open')

describe('a stranger', () => {
  it('gets nothing without a session', async (t) => {
    for (const [method, path] of [
      ['GET', '/api/v1/changes'],
      ['GET', '/api/v1/changes/stream'],
      ['POST', '/api/v1/changes/ticket'],
    ] as const) {
      assert.equal((await service.call(method, path)).status, 401, path)
    }
    const { token } = await newReader()
    const ticket = String((await service.call('POST', '/api/v1/changes/ticket', { token })).at('data.ticket'))
    const [payload = '', signature = ''] = ticket.split('.')
    const content = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
    const forged = (changed: object): string =>
      `${Buffer.from(JSON.stringify({ ...content, ...changed })).toString('base64url')}.${signature}`
    const guesses = ['', '.', '..', 'a.b', payload, `${payload}.`, `.${signature}`, `${ticket}.`, `${ticket}A`, token, 'x'.repeat(8_000)]
    for (const guess of [...guesses, forged({ userId: admin.id }), forged({ validUntil: 9e15 }), forged({ ticket: 'new' })]) {
      const { status } = await openEvents(t, streamUrl({ ticket: guess }))
      assert.equal(status, 401, guess.slice(0, 40))
    }
    // A ticket is no token.
    assert.equal((await service.call('GET', '/api/v1/auth/me', { token: ticket })).status, 401)
    const used = await openEvents(t, streamUrl({ ticket }))
    assert.equal(used.status, 200, 'the real one was not used up by guesses')
    used.close()
    await allFree()
  })

  it('wins no race for a ticket that was seen', async (t) => {
    const { token } = await newReader()
    const ticket = String((await service.call('POST', '/api/v1/changes/ticket', { token })).at('data.ticket'))
    const all = await Promise.all(Array.from({ length: 6 }, () => openEvents(t, streamUrl({ ticket }))))
    assert.deepEqual(all.map(({ status }) => status).sort(), [200, 401, 401, 401, 401, 401])
    all.forEach(({ close }) => close())
    await allFree()
  })
})

describe('a guest', () => {
  it('sees no drafts, no other users, no settings of others, and none of their ids', async (t) => {
    const victim = await newReader()
    const events = await open(t, guest, {})
    const draft = await make('headline', { status: 'draft', title: 'Secret' })
    const settings = await service.data('GET', `/${victim.id}`, { model: 'user_app_settings' }, { token: victim.token })
    const body = { ...(settings.at('data') as object), displaySettings: { ...(settings.at('data.displaySettings') as object), baseTheme: 'dark' } }
    assert.equal((await service.data('PUT', `/${victim.id}`, { model: 'user_app_settings' }, { token: victim.token, body })).status, 200)
    await service.data('DELETE', `/${draft}`, { model: 'headline' }, { token: admin.token })
    const shown = await make('topic', {})
    const [first] = await events.next()
    assert.equal(first?.data['id'], shown)
    events.close()
    const page = await read({ limit: '1000' }, guest)
    for (const secret of [draft, victim.id, victim.email, admin.id, publisher.id, 'Secret']) {
      assert.ok(!page.text.includes(`"${secret}"`), secret)
    }
    await allFree()
  })

  it('finds nothing out about drafts by filters', async () => {
    const draft = await make('topic', { status: 'draft', name: 'Merger' })
    for (const filter of [{ name: 'Merger' }, { status: 'draft' }, { status: { $ne: 'active' } }, { id: draft }, { $nor: [{ name: 'x' }] }]) {
      const page = await read({ models: 'topic', filter: JSON.stringify(filter), limit: '1000' }, guest)
      assert.ok(page.status === 200 && !page.text.includes(draft), JSON.stringify(filter))
    }
  })
})

describe('greed', () => {
  it('of one user ends at eight streams, waiting requests included', async (t) => {
    const reader = await newReader()
    const open8 = await Promise.all(Array.from({ length: 7 }, () => open(t, reader)))
    const waiting = read({ models: 'topic', since: 'now', wait: '50' }, reader)
    await untilThereAre(1, 'waiting')
    const [ninth, another] = [await open(t, reader), await read({ models: 'topic', since: 'now', wait: '50' }, reader)]
    assert.deepEqual([ninth.status, ninth.response.headers['retry-after'], another.status], [429, '15', 429])
    assert.equal((await read({ models: 'topic', since: 'now' }, reader)).status, 200, 'without waiting it is served')
    // Others have the rest of all.
    const others = [await open(t, await newReader()), await open(t, await newReader())]
    const eleventh = await open(t, await newReader())
    assert.deepEqual([...others.map(({ status }) => status), eleventh.status], [200, 200, 429])
    await make('topic', {})
    assert.equal((await waiting).status, 200)
    for (const { close } of [...open8, ...others]) close()
    await allFree()
    const again = await open(t, reader)
    assert.equal(again.status, 200)
    again.close()
    await allFree()
  })

  it('of a filter ends at its length and its steps', async (t) => {
    const long = JSON.stringify({ name: { $in: Array.from({ length: 1_500 }, (_, i) => `name ${i}`) } })
    assert.equal((await open(t, await newReader(), { models: 'topic', filter: long })).status, 400)
    // One that a list takes.
    const filter = JSON.stringify({ name: { $in: Array.from({ length: 500 }, (_, i) => `a name ${i} of many`) } })
    const reader = await newReader()
    assert.equal((await read({ models: 'topic', since: 'now', wait: '1', filter }, reader)).status, 400)
    assert.equal((await read({ models: 'topic', since: 'now', filter }, reader)).status, 200, 'without waiting')
    const nested = JSON.stringify({ $and: Array.from({ length: 60 }, () => ({ name: { $regex: '(a|b|ab)*(c|bc)*$' } })) })
    await make('topic', { name: 'ab'.repeat(4_000) })
    const page = await read({ models: 'topic', filter: nested, limit: '1000' }, await newReader())
    assert.ok([200, 400].includes(page.status), page.text)
  })

  it('of a client that goes on sending ends with its connection, and buys no response', async (t) => {
    const reader = await newReader()
    const request = `GET /api/v1/changes/stream?models=topic HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${reader.token}\r\n\r\n`
    for (const [first, then] of [
      [request, 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(100)],
      [request, '\0'.repeat(100_000)],
      [request.repeat(3), request.repeat(200)],
    ] as const) {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(first))
      t.after(() => socket.destroy())
      const closed = new Promise((resolve) => void socket.on('error', () => {}).once('close', resolve))
      let text = ''
      socket.on('data', (bytes: Buffer) => {
        if (text === '') setImmediate(() => socket.write(then))
        text += bytes.toString('latin1')
      })
      await closed
      assert.equal(text.split('HTTP/1.1 ').length - 1, 1, text)
    }
    await allFree()
    const after = await open(t, reader)
    assert.equal(after.status, 200)
    after.close()
    await allFree()
  })
})
