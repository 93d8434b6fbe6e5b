// also: cache-off threads executable cluster
/** Pictures of our own over the API, and their addresses: who may do what, and what everybody gets. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { PRIVATE_NOTE, samplePicture, type SampleName } from '../../scripts/tools/media/sample-pictures.ts'
import { SEARCH_CHARS_MAX } from '../../src/query/words.ts'
import { sendTo } from '../support/service/http-client.ts'
import { startSite, type By } from '../support/service/site.ts'

const site = await startSite()
const { service, admin, publisher, standard, guest } = site
const STRANGER: By = { token: undefined }

interface Sent {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly data: JsonObject; readonly error?: { readonly code: string; readonly message: string } }
}

async function upload(bytes: Uint8Array<ArrayBuffer>, { token }: By = publisher, headers: Record<string, string> = {}): Promise<Sent> {
  const response = await fetch(`${service.url}/api/v1/media`, {
    method: 'POST',
    body: bytes,
    headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Sent['body'] }
}

const bytesOf = (name: SampleName): Uint8Array<ArrayBuffer> => new Uint8Array(samplePicture(name))
/** Another picture for each number: the delay of the frames is different. */
function other(n: number): Uint8Array<ArrayBuffer> {
  const bytes = samplePicture('gif animated')
  bytes.writeUInt16LE(n, bytes.indexOf(Buffer.from([0x21, 0xf9])) + 4)
  return new Uint8Array(bytes)
}
const taken = async (bytes: Uint8Array<ArrayBuffer>): Promise<JsonObject> => {
  const { status, body } = await upload(bytes)
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> => fetch(`${service.url}/${path}`, { method, headers })
const call = (method: string, path: string, by: By = publisher, body?: unknown) =>
  service.call(method, `/api/v1/${method === 'DELETE' ? 'admin/' : ''}media${path}`, { token: by.token, ...(body === undefined ? {} : { body }) })

describe('a picture', () => {
  it('is taken by its bytes, cleaned, named by its hash, and served to everybody', async () => {
    for (const [name, type] of [['jpeg turned', 'image/jpeg'], ['png', 'image/png'], ['webp', 'image/webp'], ['gif', 'image/gif'], ['avif', 'image/avif']] as const) {
      const picture = await taken(bytesOf(name))
      assert.equal(picture['url'], `${service.url}/media/${String(picture['hash'])}.${name === 'jpeg turned' ? 'jpg' : name}`)
      const response = await fetch(String(picture['url']))
      const bytes = Buffer.from(await response.arrayBuffer())
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, type])
      assert.equal(createHash('sha256').update(bytes).digest('hex'), picture['hash'])
      assert.deepEqual([picture['bytes'], bytes.includes(PRIVATE_NOTE)], [bytes.length, false])
    }
  })

  it('has the same address when it comes again, and one row', async () => {
    const first = await taken(other(1))
    assert.deepEqual(await taken(other(1)), first)
    const { body } = await upload(new Uint8Array(Buffer.concat([other(1), Buffer.from('more')])), admin)
    assert.equal(body.data['hash'], first['hash'])
    assert.equal((await site.records({ documentId: String(first['hash']) })).length, 1)
  })

  it('is kept by browsers for a year, may be read in parts, and runs nothing', async () => {
    const { url, hash, bytes } = await taken(other(2))
    const path = `media/${String(url).split('/media/')[1]}`
    const response = await get(path)
    const headers = Object.fromEntries(response.headers)
    const { 'cache-control': caching, etag, 'accept-ranges': ranges, 'x-content-type-options': sniffing, 'cross-origin-resource-policy': resource } = headers
    assert.deepEqual({ caching, etag, ranges, sniffing, resource }, {
      ...{ caching: 'public, max-age=31536000, immutable', etag: `"${String(hash)}"`, ranges: 'bytes', sniffing: 'nosniff', resource: 'cross-origin' },
    })
    assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox; frame-ancestors 'none'")
    const whole = Buffer.from(await response.arrayBuffer())
    const total = Number(bytes)
    const rows: readonly [string, number, string | null, Buffer][] = [
      ['bytes=0-0', 206, `bytes 0-0/${total}`, whole.subarray(0, 1)],
      ['bytes=10-', 206, `bytes 10-${total - 1}/${total}`, whole.subarray(10)],
      ['bytes=-5', 206, `bytes ${total - 5}-${total - 1}/${total}`, whole.subarray(-5)],
      [`bytes=0-${total + 9}`, 206, `bytes 0-${total - 1}/${total}`, whole],
      [`bytes=-${total + 9}`, 206, `bytes 0-${total - 1}/${total}`, whole],
      [`bytes=${total}-`, 416, `bytes */${total}`, Buffer.alloc(0)],
      ['bytes=-0', 416, `bytes */${total}`, Buffer.alloc(0)],
      ['bytes=5-2', 200, null, whole],
      ['bytes=0-1,3-4', 200, null, whole],
      ['bytes=-', 200, null, whole],
      ['lines=1-2', 200, null, whole],
      ['bytes=99999999999999999999-', 200, null, whole],
    ]
    for (const [range, status, wanted, part] of rows) {
      const found = await get(path, { range })
      assert.deepEqual([found.status, found.headers.get('content-range')], [status, wanted], range)
      assert.ok(Buffer.from(await found.arrayBuffer()).equals(part), range)
    }
    for (const [tag, status] of [[`"${String(hash)}"`, 206], ['"other"', 200], ['Tue, 01 Jan 2030 00:00:00 GMT', 200]] as const) {
      assert.equal((await get(path, { range: 'bytes=0-1', 'if-range': tag })).status, status, tag)
    }
    for (const tag of [`"${String(hash)}"`, `W/"${String(hash)}"`, '*', `"a", "${String(hash)}"`]) assert.equal((await get(path, { 'if-none-match': tag })).status, 304, tag)
    for (const headers of [{}, { range: 'bytes=0-1' }]) {
      const head = await get(path, headers, 'HEAD')
      assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, String(total), ''])
    }
  })

  it('is whole however long it is', async () => {
    // One that is sent piece by piece: data behind the image of a PNG would be cut, so the image itself is long.
    const jpeg = samplePicture('jpeg progressive')
    const scan = Buffer.alloc(700_000, 0x55)
    const picture = await taken(new Uint8Array(Buffer.concat([jpeg.subarray(0, -2), scan, jpeg.subarray(-2)])))
    const response = await fetch(String(picture['url']))
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.equal(bytes.length, picture['bytes'])
    assert.equal(createHash('sha256').update(bytes).digest('hex'), picture['hash'])
    const part = await fetch(String(picture['url']), { headers: { range: 'bytes=1000-600000' } })
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1_000, 600_001)))
  })

  it('is described, listed and found to be in use', async () => {
    service.advance(1_000)
    const { hash, url } = await taken(other(3))
    const described = await call('PUT', `/${String(hash)}`, publisher, { alt: '  Two boats ', focus: { x: 30, y: 100 } })
    assert.deepEqual([described.status, described.at('data.alt'), described.at('data.focus')], [200, 'Two boats', { x: 30, y: 100 }])
    const unused = await call('GET', '?unused=true&limit=1')
    assert.equal(unused.at('data.items.0.hash'), hash)
    const topic = await site.madeId('topic', { iconUrl: url })
    const headline = await site.made('headline', { imageUrl: url, topic: { id: topic } })
    const usage = await call('GET', `/${String(hash)}`)
    assert.equal(usage.at('data.picture.uses'), 2)
    const users = (usage.at('data.users') as { model: string; id: string }[]).map(({ model, id }) => `${model} ${id}`).sort()
    assert.deepEqual(users, [`headline ${String(headline['id'])}`, `topic ${topic}`])
    assert.notEqual((await call('GET', '?unused=true&limit=1')).at('data.items.0.hash'), hash)
    assert.equal((await call('GET', '?limit=1')).at('data.items.0.uses'), 2)
  })

  it('is found by words of its description, in any order and case, without accents', async () => {
    const { hash } = await taken(other(30))
    await call('PUT', `/${String(hash)}`, publisher, { alt: 'Fähre im Hafen von Ålesund', focus: null })
    const found = async (search: string): Promise<unknown> =>
      ((await call('GET', `?search=${encodeURIComponent(search)}`)).at('data.items') as JsonObject[]).some((one) => one['hash'] === hash)
    for (const search of ['fahre', 'HAFEN', 'alesund hafen', ' ']) assert.equal(await found(search), true, search)
    for (const search of ['fahre bahnhof', '!', `${String(hash)}`]) assert.equal(await found(search), false, search)
  })

  it('is listed page by page', async () => {
    const all = (await call('GET', '')).at('data.items') as JsonObject[]
    const hashes: unknown[] = []
    for (let cursor: unknown = ''; cursor !== null; ) {
      const page = await call('GET', `?limit=2${cursor === '' ? '' : `&cursor=${String(cursor)}`}`)
      hashes.push(...(page.at('data.items') as JsonObject[]).map(({ hash }) => hash))
      cursor = page.at('data.cursor')
    }
    assert.deepEqual(hashes, all.map(({ hash }) => hash))
    assert.ok(hashes.length > 5)
  })

  it('is deleted by administrators, and not while a document names it', async () => {
    const { hash, url } = await taken(other(4))
    const topic = await site.madeId('topic', { iconUrl: url })
    const path = `/${String(hash)}`
    assert.match((await call('DELETE', path, admin)).error, new RegExp(`^conflict: Cannot remove the picture: documents name it, such as the topic "${topic}"`))
    await site.patch('topic', topic, { iconUrl: '' })
    assert.equal((await call('DELETE', path, admin)).status, 204)
    assert.equal((await fetch(String(url))).status, 404)
    assert.equal((await call('DELETE', path, admin)).status, 404)
    assert.equal((await call('GET', path)).status, 404)
    const events = (await site.records({ documentId: String(hash) })).map(({ event }) => event).sort()
    assert.deepEqual(events, ['picture.added', 'picture.removed'])
    // It may come back.
    await taken(other(4))
    assert.equal((await fetch(String(url))).status, 200)
  })
})

describe('the address of a picture', () => {
  it('is below that of the request, of its page, or of the setting', async () => {
    const port = new URL(service.url).port
    const rows: readonly [Record<string, string>, string][] = [
      [{}, `http://127.0.0.1:${port}/`],
      [{ host: `localhost:${port}` }, `http://localhost:${port}/`],
      [{ origin: `http://127.0.0.1:${port}` }, `http://127.0.0.1:${port}/`],
    ]
    for (const [headers, base] of rows) {
      const sent = await sendTo(new URL(`${service.url}/api/v1/media`), { method: 'POST', headers: { ...headers, authorization: `Bearer ${publisher.token}` }, body: other(5) })
      const url = String((sent.json() as Sent['body']).data['url'])
      assert.ok(url.startsWith(`${base}media/`), url)
    }
    await service.call('PATCH', '/api/v1/admin/settings', { token: admin.token, body: { publicUrl: 'https://news.example.org/site' } })
    assert.match(String((await taken(other(5)))['url']), /^https:\/\/news\.example\.org\/site\/media\/[0-9a-f]{64}\.gif$/)
    assert.match(String((await call('GET', '?limit=1')).at('data.items.0.url')), /^https:\/\/news\.example\.org\/site\/media\//)
    await service.call('PATCH', '/api/v1/admin/settings', { token: admin.token, body: { publicUrl: null } })
  })

  it('leads to pictures alone: no other name, path or method', async () => {
    const { hash } = await taken(other(6))
    const name = String(hash)
    const names = [
      ...[`${name}.jpg`, `${name}.webp`, name, `${name}.gif/`, `${name}.gif.html`, `${name.toUpperCase()}.gif`, `${'0'.repeat(64)}.gif`, '', '%2e%2e%2fdateline.db'],
      ...[`..%2f..%2fsecrets`, `${name.slice(0, 2)}/${name}.gif`, `${name}.gif%00`, `${name}.GIF`, `${name}.gif%20`],
    ]
    for (const one of names) {
      const response = await get(`media/${one}`)
      assert.equal(response.status, 404, one)
      assert.equal((await response.text()).includes('SQLite'), false)
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) assert.equal((await get(`media/${name}.gif`, {}, method)).status, 405, method)
  })
})

describe('an upload', () => {
  it('is refused for readers, guests and strangers, before its body is read', async () => {
    for (const [by, status] of [[standard, 403], [guest, 403], [STRANGER, 401]] as const) {
      const { body, status: found } = await upload(bytesOf('png'), by)
      assert.equal(found, status, JSON.stringify(body))
      // What is far too long is refused for its sender, not for its length.
      assert.equal((await upload(new Uint8Array(3_000_000), by)).status, status)
      for (const [method, path] of [['GET', ''], ['GET', `/${'a'.repeat(64)}`], ['PUT', `/${'a'.repeat(64)}`], ['DELETE', `/${'a'.repeat(64)}`]] as const) {
        assert.equal((await call(method, path, by, method === 'PUT' ? { alt: '', focus: null } : undefined)).status, status)
      }
    }
    assert.equal((await call('DELETE', `/${'a'.repeat(64)}`, publisher)).status, 403)
  })

  it('is refused for what is no picture, with what it is', async () => {
    const rows: readonly [Uint8Array<ArrayBuffer>, number, RegExp][] = [
      [new Uint8Array(), 400, /^Cannot take the picture: expected JPEG, PNG, WebP, GIF, AVIF, found nothing$/],
      [new Uint8Array(Buffer.from('<svg onload="alert(1)"/>')), 400, /found SVG/],
      [new Uint8Array(10 * 1024 * 1024 + 1), 413, /expected at most 10485760 bytes/],
    ]
    for (const [bytes, status, message] of rows) {
      const { status: found, body } = await upload(bytes, publisher, { 'content-type': 'image/png' })
      assert.equal(found, status)
      assert.match(String(body.error?.message), message)
    }
  })

  it('of a token of the API needs one that is not narrowed', async () => {
    const whole = await site.apiToken({ role: 'publisher', days: 1 })
    const narrow = await site.apiToken({ role: 'publisher', models: ['headline'], days: 1 })
    assert.equal((await upload(other(7), { token: whole })).status, 201)
    assert.equal((await upload(other(7), { token: narrow })).status, 403)
  })

  it('is bounded in number for one user, and the next finds its turn', async () => {
    const results = await Promise.all(Array.from({ length: 12 }, (_, i) => upload(other(100 + i))))
    const statuses = results.map(({ status }) => status)
    assert.ok(statuses.every((status) => status === 201 || status === 429), statuses.join())
    for (const { status, headers } of results) if (status === 429) assert.equal(headers.get('retry-after'), '2')
    assert.equal((await upload(other(200))).status, 201)
  })

  it('is refused where all pictures have no room for it, and leaves no file', async () => {
    const limit = async (mediaMax: number | null) => service.call('PATCH', '/api/v1/admin/settings', { token: admin.token, body: { mediaMax } })
    assert.equal((await limit(16)).status, 200)
    const large = (n: number): Uint8Array<ArrayBuffer> => {
      const jpeg = samplePicture('jpeg progressive')
      return new Uint8Array(Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(9_000_000, n), jpeg.subarray(-2)]))
    }
    assert.equal((await upload(large(1))).status, 201)
    const { status, body } = await upload(large(2))
    assert.equal(status, 409)
    assert.match(String(body.error?.message), /all pictures together may take 16\.8 MB, which are in use/)
    const { bytes, bytesMax } = (await call('GET', '?limit=1')).at('data.storage') as { bytes: number; bytesMax: number }
    assert.ok(bytes < bytesMax && bytesMax === 16 * 1024 * 1024)
    await limit(null)
  })
})

describe('what is said of a picture', () => {
  it('is refused where it is no text, or no place in the picture', async () => {
    const { hash } = await taken(other(8))
    const rows: readonly [unknown, RegExp][] = [
      [{ alt: 1, focus: null }, /^invalidInput: alt: expected a text of at most 1000 characters, found 1/],
      [{ alt: 'x'.repeat(1_001), focus: null }, /^invalidInput: alt: /],
      [{ alt: '' }, /^invalidInput: focus: expected x and y as whole numbers from 0 to 100, or null, found nothing/],
      [{ alt: '', focus: { x: 101, y: 0 } }, /^invalidInput: focus: /],
      [{ alt: '', focus: { x: 1.5, y: 0 } }, /^invalidInput: focus: /],
      [{ alt: '', focus: [1, 2] }, /^invalidInput: focus: /],
    ]
    for (const [body, error] of rows) assert.match((await call('PUT', `/${String(hash)}`, publisher, body)).error, error)
    assert.equal((await call('PUT', `/${'b'.repeat(64)}`, publisher, { alt: '', focus: null })).status, 404)
    for (const query of ['unused=yes', 'cursor=1', `cursor=${'9'.repeat(20)}-${String(hash)}`, 'limit=0', `search=${'a'.repeat(SEARCH_CHARS_MAX + 1)}`]) assert.equal((await call('GET', `?${query}`)).status, 400, query)
  })
})
