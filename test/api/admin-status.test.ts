/** What the dashboard knows before a sign-in, and what administrators see: state, settings, log and outbox. */
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { LogLines, OutboxMessages, ServiceStatus } from '../../src/models/responses.ts'
import { LIMIT_NAMES } from '../../src/auth/limits.ts'
import { VERSION } from '../../src/base/version.ts'
import { ADMIN_EMAIL, startService, type TestService } from '../support/service/service.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { openPeer } from '../support/smtp/smtp-peer.ts'
import { SYSTEM } from '../../src/store/actor.ts'

async function getData<T>(service: TestService, path: string, token: string): Promise<T> {
  const response = await service.call('GET', `/api/v1/admin/${path}`, { token })
  assert.equal(response.status, 200, response.text)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  return response.at('data') as T
}

const codeBody = (email: string) => ({ body: { email, isDashboardLogin: false } })

/** A mail server that refuses every connection with the same words. */
async function refusingServer(t: Cleanup): Promise<number> {
  const peer = await openPeer([['', '421 busy, says the server', 'drop']])
  t.after(async () => void (await peer[Symbol.asyncDispose]()))
  return peer.port
}

describe('the set-up of the dashboard', () => {
  it('knows a service without mail and without an administrator, also when an app has one for itself', async (t) => {
    const service = await startService(t, { mail: 'console:', adminEmail: undefined as never })
    const told = async (): Promise<unknown> => (await service.call('GET', '/api/v1/dashboard/setup')).at('data')
    const wanted = { appName: 'Dateline', hasAdministrator: false, codesBy: 'terminal', codeMinutes: 15 }
    assert.deepEqual(await told(), wanted)
    const { accounts } = service.app.services
    await accounts.instanceToken(undefined, service.now())
    assert.deepEqual(await told(), wanted)
    await accounts.ensureAdmin('first@example.org', service.now(), SYSTEM)
    assert.deepEqual(await told(), { ...wanted, hasAdministrator: true })
  })
})

describe('the state of the service', () => {
  it('tells what runs, where, since when and how much it holds', { skip: ONLY_HERE }, async (t) => {
    const service = await startService(t, { backupEvery: '24h', backupKeep: '3' })
    const { token } = await service.admin()
    await service.app.backups?.idle()
    const startedAt = new Date(service.now()).toISOString()
    service.advance(90_500)
    await service.data('GET', '', { model: 'topic' }, { token })
    const status = await getData<ServiceStatus>(service, 'status', token)
    const dataDir = join(service.directory, 'data')
    assert.deepEqual(
      [status.version, status.node, status.instance, status.dataDir],
      [VERSION, process.versions.node, service.app.instance, dataDir],
    )
    assert.deepEqual([status.startedAt, status.uptimeSeconds], [startedAt, 90])
    const { bytes, logBytes, freeBytes } = status.database
    assert.ok(bytes > 0 && bytes + logBytes > 100_000 && freeBytes > 0)
    const { inline, refusedBecause, running, waiting } = status.queries
    assert.ok(inline >= 1)
    assert.deepEqual(refusedBecause, { lineFull: 0, allFull: 0, waitedTooLong: 0 })
    const none = { guest: 0, user: 0, dashboard: 0 }
    assert.deepEqual([running, waiting], [none, none])
    assert.deepEqual([status.mail.counts.delivered, status.mail.counts.waiting], [1, 0])
    assert.match(status.mail.description[0] ?? '', /written to files/)
    assert.deepEqual(status.limits, LIMIT_NAMES.map((name) => ({ name, refused: 0 })))
    const { everyMs, keep, directory, last, failure } = status.backups
    assert.deepEqual([everyMs, keep, directory], [86_400_000, 3, join(dataDir, 'backups')])
    assert.deepEqual([last?.name, last?.at, failure], ['dateline-20260301T120000Z.db', startedAt, null])
    assert.deepEqual(status.attention, [])
  })

  it('says what needs attention in fuller words than /readyz', { skip: ONLY_HERE }, async (t) => {
    const service = await startService(t, { backupEvery: '24h', mail: `smtp://127.0.0.1:${await refusingServer(t)}` })
    const { accounts, sessions, store } = service.app.services
    await accounts.ensureAdmin(ADMIN_EMAIL, service.now(), SYSTEM)
    const id = String(store.accounts.userByEmail(ADMIN_EMAIL)?.['id'])
    const token = await sessions.issue(id, { label: 'a test', now: service.now() })
    await service.app.backups?.idle()
    const directory = join(service.directory, 'data/backups')
    rmSync(directory, { recursive: true })
    writeFileSync(directory, '')
    service.advance(24 * 3_600_000)
    await service.app.backups?.idle()
    await service.call('POST', '/api/v1/auth/request-code', codeBody('reader@example.org'))
    await service.app.idle()
    service.advance(4 * 60_000)
    const { attention, mail, backups } = await getData<ServiceStatus>(service, 'status', token)
    assert.deepEqual(attention.map(({ kind }) => kind).sort(), ['backups', 'mail'])
    const messageOf = (kind: string): string => attention.find((one) => one.kind === kind)?.message ?? ''
    assert.match(messageOf('mail'), /^the mail server has failed for 4m; the last try ended with: .*421 busy/)
    const paramsOf = (kind: string) => attention.find((one) => one.kind === kind)?.params ?? {}
    assert.deepEqual(attention.map(({ code }) => code).sort(), ['backupOld', 'mailFailing'])
    assert.equal(paramsOf('mail')['ms'], '240000')
    assert.match(paramsOf('mail')['detail'] ?? '', /421 busy/)
    assert.equal(paramsOf('backups')['at'], '2026-03-01T12:00:00.000Z')
    assert.match(messageOf('backups'), /^the last one is of 2026-03-01T12:00:00.000Z; the try of 2026-03-02T.* failed: /)
    assert.deepEqual([mail.counts.waiting, mail.oldestWaitingAt], [1, '2026-03-02T12:00:00.000Z'])
    assert.equal(backups.failure?.at, '2026-03-02T12:00:00.000Z')
    const ready = await service.call('GET', '/readyz')
    assert.equal(ready.status, 200)
    assert.deepEqual(ready.at('warnings'), [
      'mail: the mail server has failed for 4m',
      'backups: the last one is of 2026-03-01T12:00:00.000Z',
    ])
    const report = await (await fetch(`${service.url}/metrics`)).text()
    for (const series of ['dateline_mail_failing 1', 'dateline_backup_failed 1', `dateline_backup_timestamp_seconds ${Date.parse('2026-03-01T12:00:00.000Z') / 1000}`])
      assert.ok(report.includes(`${series}\n`), series)
  })
})

it('a feeds folder that cannot be used needs attention until it works again, and strangers do not read where it is', { skip: ONLY_HERE }, async (t) => {
  const folder = join(temporaryDirectory(t), 'inbox')
  mkdirSync(folder)
  const service = await startService(t, { feedsFolder: folder, backupEvery: '24h' })
  const { token } = await service.admin()
  const told = async (): Promise<unknown[]> => {
    await service.app.feedFolder.look()
    const { attention } = await getData<ServiceStatus>(service, 'status', token)
    const ready = await service.call('GET', '/readyz')
    const [series] = /^dateline_feeds_folder_failing .$/m.exec(await (await fetch(`${service.url}/metrics`)).text()) ?? []
    return [attention.filter(({ kind }) => kind === 'folder').map(({ message }) => message), ready.status, ready.at('warnings') ?? [], series]
  }
  const failing = (reason: string): unknown[] => [
    [`the folder of feeds cannot be used; ${JSON.stringify(folder)}: ${reason}`],
    200,
    ['folder: the folder of feeds cannot be used'],
    'dateline_feeds_folder_failing 1',
  ]
  const working = [[], 200, [], 'dateline_feeds_folder_failing 0']
  assert.deepEqual(await told(), working)
  renameSync(folder, `${folder}-away`)
  assert.deepEqual(await told(), failing('no such file or directory'))
  writeFileSync(folder, '')
  assert.deepEqual(await told(), failing('expected a directory, found a file'))
  rmSync(folder)
  renameSync(`${folder}-away`, folder)
  assert.deepEqual(await told(), working)
})

describe('the log', () => {
  // Another process cannot say that it has tried a mail which waits for the next try.
  it('shows what happened, newest first, by level and number', { skip: ONLY_HERE }, async (t) => {
    const service = await startService(t, { mail: `smtp://127.0.0.1:${await refusingServer(t)}` })
    const { id } = service.app.services.store.accounts.userByEmail(ADMIN_EMAIL) ?? {}
    const token = await service.app.services.sessions.issue(String(id), { label: 'a test', now: service.now() })
    await service.call('POST', '/api/v1/auth/request-code', codeBody('reader@example.org'))
    await service.app.idle()
    const all = await getData<LogLines>(service, 'log', token)
    assert.ok(all.items.some(({ event }) => event === 'request'))
    const { items } = await getData<LogLines>(service, 'log?level=warn&limit=1', token)
    assert.equal(items.length, 1)
    assert.equal(items[0]?.level === 'warn' || items[0]?.level === 'error', true)
    assert.match(JSON.stringify(items), /421 busy, says the server/)
    const { items: sought } = await getData<LogLines>(service, 'log?text=BUSY%20deferred&from=2026-01-01', token)
    assert.deepEqual([...new Set(sought.map(({ event }) => event))], ['mail.deferred'])
    const { items: requests } = await getData<LogLines>(service, 'log?route=POST%20/api/v1/auth/request-code&limit=1', token)
    assert.deepEqual(requests.map(({ event }) => event), ['request'])
    const { items: errors } = await getData<LogLines>(service, 'log?level=error', token)
    assert.ok(errors.every(({ level }) => level === 'error'))
  })
})

describe('the outbox', () => {
  it('shows what became of each mail, by state and number, and never a code', async (t) => {
    const service = await startService(t)
    const { token } = await service.admin()
    const code = await service.codeFor('reader@example.org')
    service.advance(1_000)
    await service.codeFor('other@example.org')
    const { items } = await getData<OutboxMessages>(service, 'outbox', token)
    assert.deepEqual(
      items.map(({ address, state, attempts }) => [address, state, attempts]),
      [['other@example.org', 'delivered', 1], ['reader@example.org', 'delivered', 1], [ADMIN_EMAIL, 'delivered', 1]],
    )
    assert.equal(items[1]?.createdAt, new Date(service.now() - 1_000).toISOString())
    assert.deepEqual([items[1]?.dueAt, items[1]?.doneAt], [null, items[1]?.createdAt])
    assert.ok(!items.some(({ reply }) => (reply ?? '').includes(code)))
    assert.equal((await getData<OutboxMessages>(service, 'outbox?limit=1', token)).items.length, 1)
    assert.deepEqual((await getData<OutboxMessages>(service, 'outbox?state=failed', token)).items, [])
  })

  it('tries a mail at once that waits, and says why not where it cannot', { skip: ONLY_HERE }, async (t) => {
    const service = await startService(t, { mail: `smtp://127.0.0.1:${await refusingServer(t)}` })
    const { id: admin } = service.app.services.store.accounts.userByEmail(ADMIN_EMAIL) ?? {}
    const token = await service.app.services.sessions.issue(String(admin), { label: 'a test', now: service.now() })
    const retry = (id: string) => service.call('POST', `/api/v1/admin/outbox/${id}/retry`, { token })
    await service.call('POST', '/api/v1/auth/request-code', codeBody('reader@example.org'))
    await service.app.idle()
    const [first] = (await getData<OutboxMessages>(service, 'outbox?state=waiting', token)).items
    const response = await retry(first?.id ?? '')
    assert.deepEqual([response.status, response.at('data')], [200, { state: 'waiting' }])
    await service.app.idle()
    const [again] = (await getData<OutboxMessages>(service, 'outbox', token)).items
    assert.equal(again?.attempts, (first?.attempts ?? 0) + 1)
    await service.call('POST', '/api/v1/auth/request-code', codeBody('reader@example.org'))
    const refused = await retry(first?.id ?? '')
    assert.equal(refused.status, 409)
    assert.match(refused.error, /a newer code took its place/)
    assert.equal((await retry('0'.repeat(24))).status, 404)
  })
})
