/** The share of all streams that one client address may have open: guests cost nothing, so that of a user bounds none. */
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { newPerson } from '../support/cast.ts'
import { openEvents } from '../support/service/event-reader.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, publisher, guest } = await startSite({ streamsMax: '10', trustedProxies: '127.0.0.1,10.9.0.0/16' })
const url = `${service.url}/api/v1/changes/stream?models=topic`
const from = (address: string | undefined, token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...(address !== undefined && { 'x-forwarded-for': address }),
})
const open = (t: TestContext, address: string | undefined, token: string, at = url) => openEvents(t, at, from(address, token))
/** Each stream closes; resolves when the service has noticed. */
async function allFree(): Promise<void> {
  const text = await (await fetch(`${service.url}/metrics`, { headers: from(undefined, admin.token) })).text()
  if (!text.includes('dateline_change_streams{kind="open"} 0\n')) await allFree()
}

it('attack: many guests of one client address leave half of all streams to others, by whatever way they come', async (t) => {
  const guests = await Promise.all(Array.from({ length: 6 }, () => newPerson(service, 'guest', admin.token)))
  const streams = []
  for (const { token } of guests.slice(0, 5)) streams.push(await open(t, '192.0.2.1', token))
  assert.deepEqual(streams.map(({ status }) => status), [200, 200, 200, 200, 200])
  const last = guests[5]?.token ?? ''
  const refused = await fetch(url, { headers: from('192.0.2.1', last) })
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '15'])
  assert.match(await refused.text(), /Cannot open a stream: at most 5 streams of one client address can be open, waiting requests included/)
  // What a client writes in front of what the proxy has seen, a port and other spellings make no new address.
  for (const spelling of ['203.0.113.9, 192.0.2.1', '192.0.2.1:4711', '::ffff:192.0.2.1', '192.0.2.1, 10.9.1.1']) {
    assert.equal((await fetch(url, { headers: from(spelling, last) })).status, 429, spelling)
  }
  assert.equal((await fetch(`${service.url}/api/v1/changes?since=now&wait=5`, { headers: from('192.0.2.1', last) })).status, 429, 'a request that waits')
  const pull = await fetch(`${service.url}/api/v1/sync/topic/0/pullStream`, { headers: from('192.0.2.1', last) })
  assert.equal(pull.status, 503, 'a stream of another kind, whose clients would give up for good below 500')
  const ticket = await service.call('POST', '/api/v1/changes/ticket', { token: last })
  const byTicket = `${url}&${new URLSearchParams({ ticket: String(ticket.at('data.ticket')) }).toString()}`
  assert.equal((await fetch(byTicket, { headers: { 'x-forwarded-for': '192.0.2.1' } })).status, 429, 'a ticket')

  // Others have the other half; the proxy itself, through which many come, counts for no address.
  const others = [await open(t, '192.0.2.2', last), await open(t, undefined, publisher.token), await open(t, undefined, admin.token)]
  others.push(await open(t, '2001:db8::1', guest.token), await open(t, '2001:db8::1', publisher.token))
  assert.deepEqual(others.map(({ status }) => status), [200, 200, 200, 200, 200])
  const full = await fetch(url, { headers: from('192.0.2.3', guest.token) })
  assert.match(await full.text(), /at most 10 streams can be open/)
  for (const stream of [...streams, ...others]) stream.close()
  await allFree()
  const again = await open(t, '192.0.2.1', last)
  assert.equal(again.status, 200, 'what was closed is free again')
  again.close()
  await allFree()
})
