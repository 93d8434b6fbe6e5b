/** A site from off-site backups in the place of a new service, by its set-up address; and attacks on that. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, it } from 'node:test'
import { s3Server, type S3Server, type S3ServerOptions } from '../../scripts/tools/offsite/s3-server.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { newIdentity } from '../../src/age/age-keys.ts'
import { topic } from '../../src/models/topic.ts'
import { OPERATOR } from '../../src/store/actor.ts'
import { storedSite, topicsOf, type StoredSite } from '../support/offsite/stored-site.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { ADMIN_EMAIL, startService, type ApiResponse, type TestService, type TestSettings } from '../support/service/service.ts'

const PATH = '/api/v1/auth/setup/restore'
const KEYS = 'AKID:secret/key+of=tests'
const TOPIC = { description: 'd', iconUrl: 'https://images.example/t.png', status: 'active' }

interface NewService {
  readonly service: TestService
  readonly token: string
  readonly data: string
  call(path: '' | '/look' | '/progress', body: object): Promise<ApiResponse>
  /** Waits until the service wants to start again, and does what `serve` does then. */
  again(): Promise<TestService>
}

/** A service of an empty directory, with its set-up address open. */
async function newService(t: Cleanup, settings: TestSettings = {}): Promise<NewService> {
  const directory = temporaryDirectory(t)
  const given: TestSettings = { adminEmail: undefined, outboundProxy: 'none', ...settings }
  const options = { directory, start: Date.now(), pageAssets: [] }
  const service = await startService(t, given, options)
  const token = (await service.app.setupUrl?.())?.split('#setup=')[1] ?? ''
  return {
    ...{ service, token, data: join(directory, 'data') },
    call: (path, body) => service.call('POST', PATH + path, { body: { token, ...body } }),
    async again() {
      await service.app.replaced
      await service.stop()
      return startService(t, given, options)
    },
  }
}

const sourceOf = ({ place, key }: StoredSite, more: object = {}) => ({ place, keys: '', identity: readFileSync(key, 'utf8'), at: '', ...more })

/** The same objects in a bucket. */
async function bucketOf(t: Cleanup, { dir }: StoredSite, options: S3ServerOptions = {}): Promise<S3Server> {
  const server = await s3Server(t, options)
  const nas = join(dir, 'nas')
  for (const name of readdirSync(nas, { recursive: true, encoding: 'utf8' })) {
    if (statSync(join(nas, name)).isFile()) server.objects.set(`news/${name}`, readFileSync(join(nas, name)))
  }
  return server
}

const inBucket = (server: S3Server, site: StoredSite, more: object = {}) => sourceOf(site, { place: `s3://AKID@backups/news?endpoint=${server.endpoint}`, keys: KEYS, ...more })

/** Nothing has happened: the service is as new, and can be used. */
async function assertUntouched({ service, data }: NewService): Promise<void> {
  assert.deepEqual(readdirSync(data).filter((name) => /restor|replaced|unfinished|recipients/.test(name)), [])
  assert.equal((await service.call('GET', '/api/v1/dashboard/setup')).at('data.hasAdministrator'), false)
  assert.equal((await service.guest()).user['appRole'], 'guestUser')
}

describe('a new service', { skip: ONLY_HERE }, () => {
  it('shows what a place holds, restores it, and goes on as the site that was lost', async (t) => {
    const site = await storedSite(t)
    const fresh = await newService(t)
    const { service, data, call, again } = fresh
    const looked = await call('/look', sourceOf(site))
    assert.equal(looked.status, 200, looked.text)
    assert.deepEqual((looked.at('data.documents') as { model: string }[]).find(({ model }) => model === 'topic'), { model: 'topic', count: 1 })
    assert.deepEqual([looked.at('data.place'), looked.at('data.missingUntil')], [site.place, null])
    assert.ok(String(looked.at('data.snapshotAt')) < String(looked.at('data.changesUntil')))
    assert.deepEqual((await call('/progress', {})).at('data'), { state: 'idle', percent: 0, reason: null })
    await assertUntouched(fresh)

    const restored = await call('', sourceOf(site))
    assert.equal(restored.status, 200, restored.text)
    assert.deepEqual(restored.at('data.pictures'), { count: 1, missing: 0 })
    assert.ok((restored.at('data.flags') as string[]).some((flag) => /^--offsite file:.*\/nas$/.test(flag)))
    assert.ok(Number(restored.at('data.replayed')) > 0)
    assert.deepEqual((await call('/progress', {})).at('data'), { state: 'restored', percent: 100, reason: null })
    assert.equal((await service.call('POST', '/api/v1/auth/anonymous', { body: {} })).status, 503, 'no write is taken that would be lost')
    const lines = (await service.logged()).join('\n')
    const next = await again()
    assert.deepEqual(topicsOf(data), ['Ports'])
    assert.equal((await next.call('GET', '/api/v1/auth/me', { token: site.token })).at('data.email'), ADMIN_EMAIL, 'who was signed in is signed in')
    assert.equal(readFileSync(join(data, 'secrets'), 'utf8'), readFileSync(join(site.dir, 'data', 'secrets'), 'utf8'))
    assert.deepEqual(readdirSync(data).filter((name) => /restor|unfinished/.test(name) && !name.endsWith('.before-restore')), [])
    const filter = encodeURIComponent(JSON.stringify({ event: 'backup.restored' }))
    const trail = await next.call('GET', `/api/v1/admin/audit?filter=${filter}`, { token: site.token })
    assert.deepEqual([trail.at('data.items[0].role'), trail.at('data.items[0].details[0].value')], ['service', site.place])
    // The token of the address is over with the run that printed it.
    assert.equal((await next.call('POST', `${PATH}/look`, { body: { token: fresh.token, ...sourceOf(site) } })).status, 401)
    assert.equal(/AGE-SECRET-KEY-1\w/.test(lines + (await next.logged()).join('\n')), false)
  })

  it('restores the site as it was at a time, from a bucket whose private address is allowed', async (t) => {
    const site = await storedSite(t)
    const server = await bucketOf(t, site)
    const { data, service, call, again } = await newService(t, { outboundAllow: '127.0.0.1' })
    let note = ''
    // In the middle of the download.
    server.calls.push = function (...added) {
      if (added[0]?.path.endsWith('.tar.zst.age')) note = readFileSync(join(data, 'restore-unfinished.json'), 'utf8')
      return Array.prototype.push.apply(this, added)
    }
    const restored = await call('', inBucket(server, site, { at: site.renamedAt }))
    assert.equal(restored.status, 200, restored.text)
    await again()
    assert.deepEqual(topicsOf(data), ['Harbours'])
    // What a killed service leaves names the command that goes over it, without a secret.
    const { command, isReplacing } = JSON.parse(note) as { command: string; isReplacing: boolean }
    assert.match(command, /restore --from '?s3:\/\/AKID@backups\/news\?endpoint=\S+'? --identity FILE-WITH-THE-IDENTITY --at \S+ --offsite-keys-file FILE-WITH-THE-KEYS --data-dir /)
    assert.equal(isReplacing, false)
    assert.equal(`${note}${(await service.logged()).join('')}`.includes('secret/key'), false)
  })

  it('says what is wrong with a place, a key or a time, and is as new afterwards', async (t) => {
    const site = await storedSite(t)
    const fresh = await newService(t)
    const identity = readFileSync(site.key, 'utf8')
    const secret = /AGE-SECRET-KEY-1\w+/.exec(identity)?.[0] ?? ''
    const gone = pathToFileURL(join(site.dir, 'gone')).href
    mkdirSync(join(site.dir, 'empty'))
    const empty = pathToFileURL(join(site.dir, 'empty')).href
    for (const [more, status, wanted] of [
      [{ place: 'nas' }, 400, /place: expected s3:\/\/bucket\/prefix or file:/],
      [{ place: 's3://AKID:hunter2@backups' }, 400, /place: expected no secret key in the address/],
      [{ place: 's3://backups' }, 400, /keys: s3:\/\/backups: expected which of 0 access keys/],
      [{ place: 's3://backups', keys: 'hunter2' }, 400, /keys: expected KEYID:SECRET, found something else as number 1/],
      [{ identity: '' }, 400, /identity: Expected one identity of age a line, found none/],
      [{ identity: secret.replace(/.$/, (last) => (last === 'Q' ? 'P' : 'Q')) }, 400, /identity: .*typing error/],
      [{ identity: 'age-encryption.org/v1\n-> scrypt' }, 400, /identity: it is encrypted with a passphrase/],
      [{ at: 'yesterday' }, 400, /at: expected a time such as 2026-11-24T09:30Z, found "yesterday"/],
      [{ at: '2020-01-01T00:00Z' }, 409, /the oldest snapshot is of .*: choose a time from then on/],
      [{ place: gone }, 409, /no such file or directory: mount the disk/],
      [{ place: empty }, 409, /there is no snapshot: check the prefix of the address/],
      [{ identity: newIdentity().identity }, 409, /encrypted for other keys: name the identity file that was made for this place/],
      [{ identity: ['x'] }, 400, /identity: expected a text, found "object"/],
      [{ place: undefined }, 400, /place: expected a text, found nothing/],
    ] as const) {
      for (const path of ['/look', ''] as const) {
        const response = await fresh.call(path, sourceOf(site, more))
        assert.deepEqual([response.status, wanted.test(response.error)], [status, true], `${path} ${response.error}`)
        assert.equal(response.text.includes('hunter2') || response.text.includes(secret), false)
      }
    }
    assert.equal((await fresh.call('/look', sourceOf(site, { identity: `${identity}${'#'.repeat(20_000)}` }))).status, 413)
    await assertUntouched(fresh)
    assert.equal((await fresh.call('', sourceOf(site))).status, 200, 'and what is right is restored')
    await fresh.service.app.replaced
  })
})

describe('attack: the set-up address and a restore', { skip: ONLY_HERE }, () => {
  it('strangers, guests and those with another token restore nothing, and learn nothing of a place', async (t) => {
    const site = await storedSite(t)
    const fresh = await newService(t)
    const guest = await fresh.service.guest()
    for (const path of ['/look', '', '/progress']) {
      for (const token of [undefined, '', 'A'.repeat(43), [fresh.token], { length: 43 }, fresh.token.slice(1)]) {
        for (const place of [site.place, 'file:///none']) {
          const { status, error } = await fresh.service.call('POST', PATH + path, { token: guest.token, body: { ...sourceOf(site, { place }), token } })
          assert.equal(status, 401)
          assert.match(error, /^unauthorized: This is not the set-up address that the service printed last: restart the service/)
        }
      }
    }
    await assertUntouched(fresh)
    fresh.service.advance(3_600_000)
    assert.match((await fresh.call('', sourceOf(site))).error, /This set-up address is older than an hour/)
    await assertUntouched(fresh)
  })

  it('a site in use is not replaced: with an administrator, a reader, or a document', async (t) => {
    const site = await storedSite(t)
    const boss = await newService(t)
    assert.equal((await boss.service.call('POST', '/api/v1/auth/setup', { body: { token: boss.token, email: 'boss@example.org' } })).status, 200)
    for (const path of ['/look', ''] as const) assert.match((await boss.call(path, sourceOf(site))).error, /^unauthorized: .* no longer works, because there is an administrator/)

    const reader = await newService(t)
    await reader.service.signIn('reader@example.org')
    const written = await newService(t)
    await written.service.app.services.store.as(OPERATOR).insertMissing(topic, [{ id: '66f0000000000000000000aa', value: { id: '66f0000000000000000000aa', name: 'Mine', createdAt: '2026-03-01T12:00:00.000Z', updatedAt: '2026-03-01T12:00:00.000Z', ...TOPIC } }])
    for (const { call, data } of [reader, written]) {
      for (const path of ['/look', ''] as const) {
        const response = await call(path, sourceOf(site))
        assert.deepEqual([response.status, /^conflict: Cannot restore into a site that has accounts or documents of its own/.test(response.error)], [409, true], response.text)
      }
      assert.deepEqual(readdirSync(data).filter((name) => /restor|unfinished/.test(name)), [])
    }
  })

  it('who becomes administrator while a site is fetched keeps theirs', async (t) => {
    const site = await storedSite(t)
    const isSettled = { made: undefined as Promise<ApiResponse> | undefined, done: false }
    const server = await bucketOf(t, site, {
      fault({ path }) {
        if (!path.endsWith('.tar.zst.age') || isSettled.done) return undefined
        isSettled.made ??= fresh.service.call('POST', '/api/v1/auth/setup', { body: { token: fresh.token, email: 'boss@example.org' } }).finally(() => (isSettled.done = true))
        return { kind: 'cut' }
      },
    })
    const fresh = await newService(t, { outboundAllow: '127.0.0.1' })
    const { status, error } = await fresh.call('', inBucket(server, site))
    assert.equal((await isSettled.made)?.status, 200)
    assert.deepEqual([status, error], [401, 'unauthorized: This set-up address was used meanwhile: nothing was restored'])
    assert.deepEqual(topicsOf(fresh.data), [])
    assert.deepEqual(readdirSync(fresh.data).filter((name) => /restor|unfinished|recipients/.test(name)), [])
    const token = String((await isSettled.made)?.at('data.token'))
    const added = await fresh.service.data('POST', '', { model: 'topic' }, { token, body: { name: 'Goes on', ...TOPIC } })
    assert.equal(added.status, 201, added.text)
  })

  it('a private address needs --outbound-allow, as for all places', async (t) => {
    const site = await storedSite(t)
    const server = await bucketOf(t, site)
    const fresh = await newService(t)
    for (const path of ['/look', ''] as const) {
      for (const endpoint of [server.endpoint, server.endpoint.replace('127.0.0.1', 'localhost'), 'http://169.254.169.254', 'http://10.0.0.1', 'http://[::1]:80']) {
        const response = await fresh.call(path, inBucket(server, site, { place: `s3://AKID@backups/news?endpoint=${endpoint}` }))
        assert.deepEqual([response.status, /name the host in --outbound-allow/.test(response.error)], [409, true], response.error)
      }
    }
    assert.equal(server.calls.length, 0)
    await assertUntouched(fresh)
  })

  it('a bucket that lies is refused by its name, and leaves nothing', async (t) => {
    const site = await storedSite(t)
    let fault: S3ServerOptions['fault']
    const server = await bucketOf(t, site, { fault: (call) => fault?.(call) })
    const fresh = await newService(t, { outboundAllow: '127.0.0.1' })
    const [archive = ''] = [...server.objects.keys()].filter((key) => key.endsWith('.tar.zst.age'))
    const honest = server.objects.get(archive) ?? assert.fail()
    for (const [name, change, wanted] of [
      ['another bit', () => void (fault = ({ path }) => (path.endsWith('.tar.zst.age') ? { kind: 'flipped' } : undefined)), /snapshots\/.*\.tar\.zst\.age: .*: there is no earlier snapshot/],
      ['the changes of another', () => void server.objects.set(archive, [...server.objects].find(([key]) => key.includes('changes/'))?.[1] ?? assert.fail()), /snapshots\//],
      ['no S3', () => void (fault = () => ({ kind: 'error', status: 200, body: '<html>' })), /did not answer as S3 does: check the endpoint/],
    ] as const) {
      fault = undefined
      server.objects.set(archive, honest)
      change()
      const response = await fresh.call('', inBucket(server, site))
      assert.deepEqual([response.status, wanted.test(response.error)], [409, true], `${name}: ${response.error}`)
      const progress = await fresh.call('/progress', {})
      assert.deepEqual([progress.at('data.state'), `conflict: ${String(progress.at('data.reason'))}`], ['failed', response.error])
      await assertUntouched(fresh)
    }
  })

  it('one site is restored at a time', async (t) => {
    const site = await storedSite(t)
    const { call, service } = await newService(t)
    const both = await Promise.all([call('', sourceOf(site)), call('', sourceOf(site))])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
    assert.match(both.find(({ status }) => status === 409)?.error ?? '', /A site is being restored already: wait until that is done/)
    await service.app.replaced
  })
})
