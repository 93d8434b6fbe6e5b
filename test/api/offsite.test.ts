/** Off-site backups over the API: settings that administrators change, status, metrics and readiness, and what no one gets. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { s3Server } from '../../scripts/tools/offsite/s3-server.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { newIdentity } from '../../src/age/age-keys.ts'
import type { ServiceStatus } from '../../src/models/responses.ts'
import { startService, type ServiceOptions, type TestService, type TestSettings } from '../support/service/service.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'

const KEYS = 'AKID:secret/key+of=tests'
const MINUTE_MS = 60_000

async function serviceWithKey(t: Cleanup, settings: TestSettings = {}, options: ServiceOptions = {}): Promise<TestService> {
  const service = await startService(t, { outboundAllow: '127.0.0.1', outboundProxy: 'none', ...settings }, { start: Date.now(), ...options })
  writeFileSync(join(service.directory, 'data', 'backup-recipients'), `${newIdentity().recipient}\n`)
  return service
}

const change = (service: TestService, token: string, body: object) => service.call('PATCH', '/api/v1/admin/settings', { token, body })
const statusOf = async (service: TestService, token: string): Promise<ServiceStatus> => (await service.call('GET', '/api/v1/admin/status', { token })).at('data') as ServiceStatus

describe('off-site backups', { skip: ONLY_HERE }, () => {
  it('are set up by an administrator while the service runs; keys are written and never read', async (t) => {
    const [service, server] = [await serviceWithKey(t), await s3Server(t)]
    const { token } = await service.admin()
    assert.deepEqual((await statusOf(service, token)).backups.offsite, [])
    const place = `s3://AKID@backups/news?endpoint=${server.endpoint}`
    assert.equal((await change(service, token, { offsite: place, offsiteKeys: KEYS })).status, 200)
    await service.app.offsite.wake()
    const [found] = (await statusOf(service, token)).backups.offsite
    assert.equal(found?.name, `s3://backups/news?endpoint=${server.endpoint}`)
    assert.ok((found.snapshot?.bytes ?? 0) > 1_000)
    assert.deepEqual([found.failure, found.waiting, found.hasGap], [null, 0, false])
    const metrics = await (await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text()
    assert.match(metrics, /dateline_offsite_failed\{place="s3:\/\/backups\/news\?endpoint=[^"]*"\} 0/)
    assert.match(metrics, /dateline_offsite_bytes\{[^}]*\} \d{4,}/)
    const told = [await service.call('GET', '/api/v1/admin/settings', { token }), await service.call('GET', '/api/v1/admin/audit', { token }), await service.call('GET', '/api/v1/admin/log', { token })]
    for (const { text } of told) assert.equal(text.includes('secret/key'), false)
    assert.equal((await service.logged()).join('').includes('secret/key'), false)
  })

  it('fail in words: of the status, /readyz and the overview, without the place in what strangers read', async (t) => {
    const server = await s3Server(t, { fault: () => ({ kind: 'error', status: 403, code: 'AccessDenied' }) })
    const service = await serviceWithKey(t)
    const { token } = await service.admin()
    await change(service, token, { offsite: `s3://AKID@backups/news?endpoint=${server.endpoint}`, offsiteKeys: KEYS })
    await service.app.offsite.wake()
    const wanted = /denies this \(403 AccessDenied\): let the access key list, read, write and delete objects/
    assert.match((await statusOf(service, token)).backups.offsite[0]?.failure?.message ?? '', wanted)
    assert.deepEqual((await service.call('GET', '/readyz')).at('warnings') ?? [], [])
    service.advance(6 * MINUTE_MS)
    const ready = await service.call('GET', '/readyz')
    assert.equal(ready.status, 200)
    assert.match(ready.text, /offsite: 1 of 1 place cannot store backups/)
    assert.equal(ready.text.includes('s3://'), false)
    assert.match((await statusOf(service, token)).attention.find(({ kind }) => kind === 'offsite')?.message ?? '', wanted)
  })

  it('are stored when an administrator asks, with a record', async (t) => {
    const [service, server] = [await serviceWithKey(t), await s3Server(t)]
    const { token } = await service.admin()
    const ask = () => service.call('POST', '/api/v1/admin/offsite-backups', { token })
    assert.match((await ask()).error, /^conflict: There is no place for off-site backups: name one in the setting offsite/)
    await change(service, token, { offsite: `s3://backups?endpoint=${server.endpoint}`, offsiteKeys: KEYS })
    await service.app.offsite.wake()
    const before = server.objects.size
    assert.equal((await ask()).status, 202)
    await service.app.offsite.wake()
    assert.ok(server.objects.size > before)
    assert.match((await service.call('GET', '/api/v1/admin/audit', { token })).text, /"backup\.made".*"place"/)
  })
})

describe('an administrator', () => {
  it('cannot name a directory, a secret in an address, or a place past the rules of connections', async (t) => {
    const service = await serviceWithKey(t, { outboundAllow: undefined })
    const { token } = await service.admin()
    for (const [body, wanted] of [
      [{ offsite: 'file:///etc' }, /offsite: expected s3:\/\/bucket\/prefix, found file:\/\/\/etc; directories are for --offsite/],
      [{ offsite: 's3://AKID:hunter2@backups' }, /offsite: expected no secret key in the address/],
      [{ offsiteKeys: 'hunter2' }, /offsiteKeys: expected KEYID:SECRET, found something else as number 1/],
      [{ offsiteEvery: '1s' }, /offsiteEvery: expected a time from 10m to 30d/],
      [{ offsiteKeep: 'all' }, /offsiteKeep: expected counts/],
      [{ backupRate: '1MB' }, /backupRate cannot be changed here/],
    ] as const) {
      const response = await change(service, token, body)
      assert.equal(response.status, 400, response.text)
      assert.match(response.error, wanted)
      assert.equal(response.text.includes('hunter2'), false)
    }
  })

  it('does not get the keys of the operator for another place', { skip: ONLY_HERE }, async (t) => {
    const server = await s3Server(t)
    const service = await serviceWithKey(t, { offsite: 's3://backups?endpoint=http://127.0.0.1:1' })
    const { token } = await service.admin()
    const response = await change(service, token, { offsite: `s3://backups?endpoint=${server.endpoint}` })
    assert.equal(response.status, 409)
    assert.match(response.error, /--offsite says it, and wins/)
  })
})

describe('others', () => {
  it('cannot ask for a snapshot: guests, publishers, and tokens of the API', async (t) => {
    const service = await serviceWithKey(t)
    const publisher = await service.userWith('p@example.org', { dashboardRole: 'publisher' })
    const { token: admin } = await service.admin()
    const made = await service.call('POST', '/api/v1/admin/api-tokens', { token: admin, body: { name: 'x', role: null, scopes: ['backups'], days: 1 } })
    for (const [token, status] of [[undefined, 401], [(await service.guest()).token, 403], [publisher.token, 403], [String(made.at('data.token')), 403]] as const) {
      const response = await service.call('POST', '/api/v1/admin/offsite-backups', { token })
      assert.ok(response.status === status || response.status === 401, `${response.status} ${response.text}`)
    }
  })
})
