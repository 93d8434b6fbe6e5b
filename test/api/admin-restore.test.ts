/** Restoring a backup in the running service: what it does, and attacks with files that pose as backups. */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, linkSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { openForTest } from '../../scripts/tools/stores.ts'
import { newPerson } from '../support/cast.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { databaseOf, startService, type ApiResponse, type TestService, type TestSettings } from '../support/service/service.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const PATH = '/api/v1/admin/backups'
const BODY = { description: 'd', iconUrl: 'https://images.example/t.png', status: 'active' }

const restore = (service: TestService, token: string, name: string, confirm: unknown = name): Promise<ApiResponse> =>
  service.call('POST', `${PATH}/${name}/restore`, { token, body: { confirm } })

async function backedUp(t: Cleanup, settings: TestSettings = {}) {
  const directory = temporaryDirectory(t)
  const service = await startService(t, settings, { directory })
  const admin = await service.admin()
  const add = async (name: string): Promise<ApiResponse> =>
    service.data('POST', '', { model: 'topic' }, { token: admin.token, body: { name, ...BODY } })
  assert.equal((await add('Old')).status, 201)
  const draft = { token: admin.token, body: { name: 'Not finished', status: 'draft' }, isUndescribed: true } as const
  assert.equal((await service.data('POST', '', { model: 'topic', incomplete: true }, draft)).status, 201)
  const name = String((await service.call('POST', PATH, { token: admin.token })).at('data.name'))
  const data = join(directory, 'data')
  return {
    ...{ service, ...admin, add, name, data, backups: join(data, 'backups') },
    /** Waits until the service wants to start again, and does what `serve` does then. */
    async again(): Promise<TestService> {
      await service.app.replaced
      await service.stop()
      return startService(t, settings, { directory })
    },
  }
}

const topics = async (service: TestService, token: string): Promise<readonly unknown[]> => {
  const { at } = await service.data('GET', '', { model: 'topic' }, { token })
  return (at('data.items') as { readonly name: string }[]).map((one) => one.name)
}

const records = async (service: TestService, token: string, event: string): Promise<readonly Record<string, unknown>[]> => {
  const filter = JSON.stringify({ event })
  const { at } = await service.call('GET', `/api/v1/admin/audit?${new URLSearchParams({ filter }).toString()}`, { token })
  return at('data.items') as Record<string, unknown>[]
}

describe('a restore over the API', { skip: ONLY_HERE }, () => {
  it('brings the backup back, keeps what was written since, and tells both audit trails', async (t) => {
    const { service, token, id, add, name, data, again } = await backedUp(t)
    const late = await newPerson(service, 'admin', token)
    assert.equal((await add('New')).status, 201)
    const checked = await service.call('POST', `${PATH}/${name}/check`, { token })
    assert.equal(checked.status, 200, checked.text)
    assert.deepEqual([checked.at('data.account'), checked.at('data.newestAt')], ['administrator', '2026-03-01T12:00:00.000Z'])
    assert.deepEqual((checked.at('data.documents') as { model: string }[]).find(({ model }) => model === 'topic'), { model: 'topic', count: 2 }, 'incomplete drafts are among them')
    assert.deepEqual(checked.at('data.differs'), { administrators: [], settings: [] })
    const later = await service.call('POST', `${PATH}/${name}/check`, { token: late.token })
    assert.equal(later.at('data.account'), 'missing', 'who is told that they cannot sign in afterwards')
    assert.equal((await service.call('GET', '/api/v1/admin/restore', { token })).at('data.restore'), null)

    for (const [confirm, found] of [['', '""'], [undefined, 'nothing'], [name.toUpperCase(), JSON.stringify(name.toUpperCase())], [[name], 'an array']]) {
      const refused = await service.call('POST', `${PATH}/${name}/restore`, { token, body: confirm === undefined ? {} : { confirm } })
      assert.equal(refused.error, `invalidInput: confirm: expected "${name}", the name of the backup, found ${String(found)}`)
    }
    assert.deepEqual(await topics(service, token), ['Old', 'New'], 'and nothing has happened')

    const response = await restore(service, token, name)
    assert.equal(response.status, 200, response.text)
    const next = await again()
    assert.deepEqual(await topics(next, token), ['Old'], 'with the same token')
    const outcome = (await next.call('GET', '/api/v1/admin/restore', { token })).at('data.restore') as Record<string, string>
    const { kept = '', ...rest } = outcome
    assert.deepEqual(rest, { name, at: '2026-03-01T12:00:00.000Z', outcome: 'restored', reason: null })
    assert.deepEqual(readdirSync(data).filter((one) => /restore|replaced/.test(one)), [kept], 'and nothing else is left')
    const old = openForTest(t, join(data, kept), { readOnly: true })
    assert.equal(old.get('SELECT count(*) AS n FROM topic')?.['n'], 2, 'all that was acknowledged is kept')
    const before = old.all(`SELECT doc ->> '$.actor' AS actor FROM audit WHERE doc ->> '$.event' = 'backup.restored'`)
    assert.deepEqual(before.map((row) => row['actor']), [id])
    const [record] = await records(next, token, 'backup.restored')
    assert.deepEqual([record?.['actor'], record?.['details']], [id, [{ name: 'name', value: name }, { name: 'kept', value: kept }]])
    assert.equal((await next.call('GET', '/api/v1/auth/me', { token: late.token })).status, 401, 'who was not there yet')
  })

  it('goes back by itself where the service cannot open what it restored, and says so', async (t) => {
    const { service, token, id, add, name, data, again } = await backedUp(t)
    assert.equal((await add('New')).status, 201)
    assert.equal((await restore(service, token, name)).status, 200)
    const copy = readdirSync(data).find((one) => one.startsWith('dateline.db.to-restore-')) ?? ''
    const changed = new DatabaseSync(join(data, copy))
    // After the check: it seems to be of a development state.
    changed.exec('PRAGMA user_version = 10')
    changed.close()
    const next = await again()
    assert.deepEqual(await topics(next, token), ['Old', 'New'])
    const outcome = (await next.call('GET', '/api/v1/admin/restore', { token })).at('data.restore') as Record<string, string>
    assert.deepEqual([outcome['outcome'], outcome['kept']], ['failed', null])
    assert.match(String(outcome['reason']), /has schema 10, .* before its first release/)
    const [record] = await records(next, token, 'backup.restore-failed')
    assert.equal(record?.['actor'], id)
    assert.deepEqual(readdirSync(data).filter((one) => /restore|replaced/.test(one)), [])
    assert.ok((await next.logged()).some((line) => line.includes('"event":"restore.undone"')))
  })

  it('takes no write from the confirmation on, and says when to try again', async (t) => {
    const { service, token, add, name, again } = await backedUp(t)
    // The writes of the same moment are either in the database that is kept, or refused.
    const [response, ...writes] = await Promise.all([restore(service, token, name), ...Array.from({ length: 8 }, (_, i) => add(`T${i}`))])
    assert.equal(response.status, 200, response.text)
    assert.ok(writes.every(({ status }) => status === 201), 'while it is being checked')
    await service.app.replaced
    for (const refused of [await add('Late'), await service.call('POST', '/api/v1/auth/anonymous', { body: {} })]) {
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5'])
      assert.equal(refused.error, 'networkError: The database is being replaced by a backup: try again in a few seconds')
    }
    const twice = await restore(service, token, name)
    assert.match(twice.error, /^conflict: A backup is being checked or restored already/)
    assert.equal((await topics(service, token)).length, 9, 'while reads go on')
    assert.deepEqual(await topics(await again(), token), ['Old'])
  })
})

describe('a forged backup', () => {
  it('is refused with words, whatever it is, and leaves nothing', { skip: ONLY_HERE }, async (t) => {
    const { service, token, name, data, backups } = await backedUp(t)
    let day = 0
    const forge = (make: (file: string) => void): string => {
      const forged = `dateline-202601${String(++day).padStart(2, '0')}T120000Z.db`
      make(join(backups, forged))
      return forged
    }
    const altered = (sql: string): string =>
      forge((file) => {
        copyFileSync(join(backups, name), file)
        const database = new DatabaseSync(file)
        database.exec(sql)
        database.close()
      })
    const secrets = join(data, 'secrets')
    for (const [forged, words] of [
      [altered("CREATE TRIGGER evil AFTER INSERT ON audit BEGIN DELETE FROM audit; END"), /did not pass its check \(the trigger "evil" was not made by dateline\)/],
      [forge((file) => { writeFileSync(file, ''); truncateSync(file, 2 ** 43) }), /[\d.]+ [MG]B free, and [\d.]+ GB are needed: make room/],
      [forge((file) => symlinkSync(secrets, file)), /it is a link, a directory or the database in use/],
      [forge((file) => linkSync(databaseOf(service), file)), /it is a link, a directory or the database in use/],
    ] as const) {
      const response = await service.call('POST', `${PATH}/${forged}/check`, { token })
      assert.deepEqual([response.status, response.at('error.code')], [409, 'conflict'], response.text)
      assert.match(response.error, words)
      const restored = await restore(service, token, forged)
      assert.equal(restored.status, 409)
      assert.match(restored.error, words)
      rmSync(join(backups, forged), { recursive: true })
    }
    assert.deepEqual(readdirSync(data).filter((one) => /restor|replaced/.test(one)), [])
    assert.deepEqual(readdirSync(backups), [name], 'nor anything beside the backups')
    assert.equal((await service.call('GET', '/readyz')).status, 200)
    assert.deepEqual(await topics(service, token), ['Old'])
  })
})

it('a token of the API checks and restores no backup', async (t) => {
  const { service, token, name, data } = await backedUp(t)
  const made = await service.call('POST', '/api/v1/admin/tokens', { token, body: { name: 'script', role: 'admin' } })
  for (const path of [`${PATH}/${name}/restore`, `${PATH}/${name}/check`, `${PATH}/nothing/restore`]) {
    const response = await service.call('POST', path, { token: String(made.at('data.token')), body: { confirm: name } })
    assert.equal(response.status, 403, `${path} ${response.text}`)
  }
  assert.ok(!existsSync(join(data, 'dateline.db.restore-note')))
})
