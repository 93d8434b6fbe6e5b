/**
 * Strangers who become guests to fill the disk: all guests together have a budget, at which guests add nothing. Large and
 * idle guests make room; those who are here, and everybody else, go on as before.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PREFERENCES, TOPIC } from '../../scripts/tools/data-bodies.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { startService, type ApiResponse, type Signed, type TestService } from '../support/service/service.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { noSmallDisk, smallDisk } from '../../scripts/tools/small-disk.ts'

const HOUR_MS = 3_600_000
const MIB = 1024 * 1024

/** Preferences with a long text in a declared member, which stays. */
function fill(service: TestService, { id, token }: Signed, chars: number): Promise<ApiResponse> {
  const body = { ...PREFERENCES, id, followedTopics: [{ ...TOPIC, description: 'x'.repeat(chars) }] }
  return service.data('PUT', `/${id}`, { model: 'user_content_preferences' }, { token, body })
}
const isHere = async (service: TestService, { token }: Signed): Promise<boolean> => (await service.call('GET', '/api/v1/auth/me', { token })).status === 200
/** A new topic: the server gives it an id and its times. */
const { id: _, createdAt: _c, updatedAt: _u, ...TOPIC_BODY } = TOPIC
const FULL = [503, '60', 'networkError']
const outcome = ({ status, headers, at }: ApiResponse): unknown => [status, headers.get('retry-after'), at('error.code')]

it('guests keep no more than all together may, and the idle ones make room', { skip: ONLY_HERE }, async (t) => {
  const service = await startService(t, { guestsMb: '1', tokenHours: '720' })
  const { store } = service.app.services
  const [idle, kept, member] = [await service.guest(), await service.guest(), await service.guest()]
  for (const one of [idle, kept, member]) assert.equal((await fill(service, one, 200_000)).status, 200)
  const joined = await service.signIn('member@example.org', { token: member.token })
  assert.ok(store.accounts.guestStorage().bytes < 0.5 * MIB, 'who has signed in with an address is no guest any more')

  service.advance(3 * HOUR_MS)
  assert.ok(await isHere(service, kept))
  const flood: Signed[] = []
  for (let i = 0; i < 3; i++) flood.push(await service.guest())
  const filled = await Promise.all(flood.map((one) => fill(service, one, 240_000)))
  assert.deepEqual(filled.map(({ status }) => status).sort(), [200, 200, 503])
  assert.deepEqual(outcome(filled.find(({ status }) => status === 503) as ApiResponse), FULL)
  const [first] = flood.filter((_, i) => filled[i]?.status === 200) as [Signed]
  const smaller = { operations: ['user_app_settings', 'user_content_preferences'].map((model) => ({ operation: 'patch', model, id: first.id, body: model === 'user_app_settings' ? { displaySettings: { fontFamily: 'y'.repeat(240_000) } } : {} })) }
  assert.deepEqual(outcome(await service.data('POST', '/batch', {}, { token: first.token, body: smaller })), FULL, 'nor by settings, or in a batch')
  while ((await service.call('POST', '/api/v1/auth/anonymous', { body: {} })).status === 200);
  assert.ok(store.accounts.guestStorage().bytes <= MIB + 8_192, `${store.accounts.guestStorage().bytes} bytes`)
  assert.deepEqual(outcome(await service.call('POST', '/api/v1/auth/anonymous', { body: {} })), FULL)
  assert.ok(await isHere(service, idle), 'idle guests are looked for each minute')
  assert.equal((await fill(service, first, 1_000)).status, 200, 'a guest may always keep less')
  await service.signIn('new@example.org')
  assert.equal((await fill(service, joined, 250_000)).status, 200, 'users are free')

  service.advance(3 * HOUR_MS)
  const { token } = await service.admin()
  const attention = async (): Promise<unknown> => ((await service.call('GET', '/api/v1/admin/status', { token })).at('data.attention') as { kind: string }[]).filter(({ kind }) => kind === 'guests').length
  assert.ok(await isHere(service, kept))
  for (const one of flood) await fill(service, one, 230_000)
  assert.equal(await attention(), 1)
  await service.app.housekeeping.keepRoom()
  assert.deepEqual([await isHere(service, idle), await isHere(service, kept), await isHere(service, joined)], [false, true, true])
  assert.ok(store.accounts.guestStorage().bytes <= 0.9 * MIB)
  assert.equal(await attention(), 0)
  assert.equal((await service.call('POST', '/api/v1/auth/anonymous', { body: {} })).status, 200)
  const status = (await service.call('GET', '/api/v1/admin/status', { token })).at('data.guests')
  const { guests: count, bytes } = store.accounts.guestStorage()
  assert.deepEqual(status, { count, bytes, bytesMax: MIB })
})

it('attack: while the disk is short, guests and readers add nothing, and editors go on', { skip: noSmallDisk }, async (t) => {
  const service = await startService(t, {}, { directory: smallDisk(t, 100) })
  assert.deepEqual(outcome(await service.call('POST', '/api/v1/auth/anonymous', { body: {} })), FULL)
  const admin = await service.admin()
  const { token } = admin
  const attention = (await service.call('GET', '/api/v1/admin/status', { token })).at('data.attention') as { kind: string; message: string }[]
  assert.match(String(attention.find(({ kind }) => kind === 'guests')?.message), /no new guests, and readers add nothing: less than 128 MiB are free/)
  const reader = await service.signIn('reader@example.org')
  const grown = await fill(service, reader, 50_000)
  assert.deepEqual(outcome(grown), FULL)
  assert.match(grown.error, /the disk of the service is nearly full/)
  const own = await service.data('GET', `/${reader.id}`, { model: 'user_content_preferences' }, { token: reader.token })
  assert.equal((await service.data('PUT', `/${reader.id}`, { model: 'user_content_preferences' }, { token: reader.token, body: own.at('data') as JsonObject })).status, 200, 'what does not grow is taken')
  assert.equal((await fill(service, admin, 50_000)).status, 200)
  assert.equal((await service.data('POST', '', { model: 'topic' }, { token, body: TOPIC_BODY })).status, 201)
})
