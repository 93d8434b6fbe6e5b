// isolated: it replaces JSON.parse and a global
/**
 * How the client handles responses and missing ones: errors of the service, pages of proxies, false responses.
 * The servers here are real ones that say what a row tells them to.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import {
  BadRequest,
  Conflict,
  createClient,
  DatelineError,
  type Client,
  type Filter,
  Forbidden,
  NetworkError,
  NotFound,
  PreconditionFailed,
  ServerError,
  TooManyRequests,
  Unauthorized,
  UnreadableReply,
} from '../../src/client/client.ts'
import { respondWith, serverThat } from '../support/service/scripted-http.ts'

const TOKEN = 'aaaa.secret-bbbb.cccc'

/** What the promise is rejected with. */
async function refusal(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('wanted an error, and it succeeded'),
    (error: unknown) => error,
  )
}

describe('an error of the service', () => {
  for (const [status, code, Kind] of [
    [400, 'invalidInput', BadRequest],
    [401, 'unauthorized', Unauthorized],
    [403, 'forbidden', Forbidden],
    [404, 'notFound', NotFound],
    [405, 'methodNotAllowed', BadRequest],
    [409, 'conflict', Conflict],
    [412, 'preconditionFailed', PreconditionFailed],
    [413, 'payloadTooLarge', BadRequest],
    [415, 'unsupportedMediaType', BadRequest],
    [429, 'tooManyRequests', TooManyRequests],
    [500, 'serverError', ServerError],
    [503, 'networkError', ServerError],
  ] as const) {
    it(`with ${status} is a ${Kind.name} with its code, message, request and pause`, async (t) => {
      const headers = { 'content-type': 'application/json', 'x-request-id': 'r-1', 'retry-after': '7' }
      const { url } = await serverThat(
        t,
        respondWith(status, JSON.stringify({ error: { code, message: 'title: no' } }), headers),
      )
      const error = await refusal(createClient({ url, token: TOKEN }).data('topic').get('1'))
      assert.ok(error instanceof Kind && error instanceof DatelineError)
      assert.deepEqual(
        [error.name, error.status, error.code, error.message, error.requestId, error.retryAfterSeconds],
        [Kind.name, status, code, 'title: no', 'r-1', 7],
      )
    })
  }
})

describe('the problems in an error', () => {
  const params = { max: '10', model: 'topic' }
  const problem = { path: 'title', code: 'tooLong', params, message: 'expected at most 10 characters' }
  const sent = async (t: Parameters<typeof serverThat>[0], problems: unknown): Promise<unknown> => {
    const body = JSON.stringify({ error: { code: 'invalidInput', message: 'title: no', problems } })
    const { url } = await serverThat(t, respondWith(400, body, { 'content-type': 'application/json' }))
    const error = await refusal(createClient({ url, token: TOKEN }).data('topic').get('1'))
    assert.ok(error instanceof BadRequest)
    return error.problems
  }

  it('are told as they were sent', async (t) => assert.deepEqual(await sent(t, [problem]), [problem]))
  it('are an empty list where there are none', async (t) => assert.deepEqual(await sent(t, undefined), []))
  it('that have another form are left out', async (t) => {
    const others = [null, 'title', {}, { ...problem, path: 7 }, { ...problem, params: null }]
    assert.deepEqual(await sent(t, [...others, problem]), [problem])
    assert.deepEqual(await sent(t, { problem }), [])
  })
  it('never show the token', async (t) => {
    const told = { ...problem, path: TOKEN, message: `no ${TOKEN}`, params: { max: TOKEN } }
    assert.deepEqual(await sent(t, [told]), [{ ...problem, path: '…', message: 'no …', params: { max: '…' } }])
  })
})

describe('a response that is not the service’s', () => {
  const html = '<!doctype html><title>Sign in to the network</title>'
  const page = (value: unknown): string => JSON.stringify({ data: value, metadata: {} })
  for (const [name, status, body, Kind] of [
    ['a page of success', 200, html, UnreadableReply],
    ['a proxy’s bad gateway', 502, html, ServerError],
    ['a proxy that wants to know who asks', 401, html, Unauthorized],
    ['a proxy for which the body is too large', 413, html, BadRequest],
    ['nothing at all', 200, '', UnreadableReply],
    ['half of the JSON', 200, '{"data":{"items":[', UnreadableReply],
    ['a text', 200, '"data"', UnreadableReply],
    ['null', 200, 'null', UnreadableReply],
    ['an envelope without data', 200, '{}', UnreadableReply],
    ['data that is a list', 200, page([]), UnreadableReply],
    ['a page without items', 200, page({ cursor: null, hasMore: false }), UnreadableReply],
    ['a page that goes on without a cursor', 200, page({ items: [], cursor: null, hasMore: true }), UnreadableReply],
    ['a page that goes on without items', 200, page({ items: [], cursor: 'a', hasMore: true }), UnreadableReply],
    ['a cursor that is a number', 200, page({ items: [], cursor: 7, hasMore: true }), UnreadableReply],
    ['an error that is a text', 400, '{"error":"no"}', BadRequest],
    ['an error whose message is an object', 500, '{"error":{"code":"x","message":{}}}', ServerError],
    ['a member __proto__', 200, '{"__proto__":{"data":{"items":[]}}}', UnreadableReply],
  ] as const) {
    it(`is an error: ${name}`, async (t) => {
      const type = body.startsWith('<') ? 'text/html' : 'application/json'
      const { url } = await serverThat(t, respondWith(status, body, { 'content-type': type }))
      const error = await refusal(createClient({ url, token: TOKEN }).data('topic').list())
      assert.ok(error instanceof Kind, inspect(error))
      assert.deepEqual([error.status, error.code], [status, 'unreadableReply'])
      assert.match(error.message, /^Cannot read the reply to GET \/api\/v1\/data: expected one of the service, found /)
      assert.ok(!error.message.includes('Sign in'))
    })
  }

  for (const [name, cursors] of [
    ['the same page again and again', ['a']],
    ['two pages in turn', ['a', 'b']],
    ['a circle that begins later', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'c']],
    ['the empty cursor', ['']],
  ] as const) {
    it(`ends a loop over pages that would have no end: ${name}`, async (t) => {
      const next = new Map<string | null, string>()
      for (const [i, cursor] of cursors.entries()) next.set(i === 0 ? null : (cursors[i - 1] ?? null), cursor)
      next.set(cursors.at(-1) ?? null, next.get(cursors.at(-1) ?? null) ?? cursors[0])
      const { url, seen } = await serverThat(t, (request, response) => {
        const cursor = next.get(new URL(request.url ?? '', 'http://x').searchParams.get('cursor')) ?? null
        response.end(page({ items: [{ id: '1' }], cursor, hasMore: seen.length < 100 }))
      })
      const loop = async (): Promise<void> => {
        for await (const { id } of createClient({ url }).data('topic').iterate()) assert.equal(id, '1')
      }
      assert.ok((await refusal(loop())) instanceof UnreadableReply)
      assert.ok(seen.length <= 3 * cursors.length, `${seen.length} requests`)
    })
  }

  it('counts as done where only an unread body breaks off', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) })
    const fetch = async (): Promise<Response> => new Response(body, { status: 202 })
    await createClient({ url: 'http://localhost', fetch }).auth.requestCode({ email: 'a@b.example' })
  })

  it('does not count as done where nothing was to come back', async (t) => {
    const { url } = await serverThat(t, respondWith(200, html, { 'content-type': 'text/html' }))
    const client = createClient({ url, token: TOKEN })
    assert.ok((await refusal(client.data('topic').remove('1'))) instanceof UnreadableReply)
    assert.ok((await refusal(client.auth.signOut())) instanceof UnreadableReply)
    assert.equal(client.token, TOKEN)
  })

  for (const [name, data] of [
    ['no token', { user: {} }],
    ['a token that would end its header', { user: {}, token: 'a\r\nx: y' }],
    ['no user', { user: null, token: 'abc' }],
  ] as const) {
    it(`is no sign-in: ${name}`, async (t) => {
      const { url } = await serverThat(t, respondWith(200, page(data)))
      const client = createClient({ url })
      assert.ok((await refusal(client.auth.anonymous())) instanceof UnreadableReply)
      assert.equal(client.token, undefined)
    })
  }

  it('is read to a limit only, where it is an error without end', async (t) => {
    let isCut = false
    const { url } = await serverThat(t, (_request, response) => {
      response.writeHead(500, { 'content-type': 'text/html' })
      response.on('close', () => (isCut = true))
      const more = (): void => {
        while (!isCut && response.write('x'.repeat(16_384)));
        if (!isCut) response.once('drain', more)
      }
      more()
    })
    const error = await refusal(createClient({ url }).data('topic').list())
    assert.ok(error instanceof ServerError)
    assert.equal(error.code, 'unreadableReply')
  })

  it('is parsed once, however large', async (t) => {
    const text = page({
      items: Array.from({ length: 20_000 }, (_, i) => ({ id: String(i) })),
      cursor: null,
      hasMore: false,
    })
    const { url } = await serverThat(t, respondWith(200, text))
    const parse = JSON.parse
    let parsed = 0
    JSON.parse = (...given) => {
      if (given[0] === text) parsed++
      return parse(...given) as unknown
    }
    t.after(() => void (JSON.parse = parse))
    assert.equal((await createClient({ url }).data('topic').list()).items.length, 20_000)
    assert.equal(parsed, 1)
  })
})

describe('no response', () => {
  it('is a NetworkError that says to what, and why', async (t) => {
    const { url } = await serverThat(t, (request) => void request.socket.destroy())
    const error = await refusal(
      createClient({ url, token: TOKEN })
        .data('topic')
        .list({ filter: { name: 'private' } }),
    )
    assert.ok(error instanceof NetworkError)
    assert.deepEqual([error.status, error.code], [0, 'noReply'])
    assert.equal(error.message, 'Cannot reach the service: no reply to GET /api/v1/data')
    assert.ok(error.cause instanceof Error)
  })

  it('is a NetworkError also where the response is cut off', async (t) => {
    const { url } = await serverThat(t, (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"data":', () => response.destroy())
    })
    assert.ok((await refusal(createClient({ url }).data('topic').list())) instanceof NetworkError)
  })

  it('is what a redirect is: the token does not follow it', async (t) => {
    const other = await serverThat(t, respondWith(200, '{}'))
    const { url } = await serverThat(t, respondWith(307, '', { location: `${other.url}/api/v1/auth/me` }))
    const error = await refusal(createClient({ url, token: TOKEN }).auth.me())
    assert.ok(error instanceof NetworkError)
    assert.deepEqual(other.seen, [])
  })
})

describe('what cannot be sent', () => {
  const circle: Record<string, unknown> = {}
  circle['again'] = circle
  const topic = { name: 'a', description: '', iconUrl: '' }
  // JSON would leave out or make null what stands in a filter, and the result would be that of another filter.
  const filters = [
    ['status', undefined],
    ['status', () => 'active'],
    ['status', Symbol('active')],
    ['bytes', NaN],
    ['bytes', { $lt: Infinity }],
    ['$or', [{ status: undefined }]],
    ['name', { $in: ['a', undefined] }],
    ['name', { $regex: 'a', $options: undefined }],
  ].map(([name, value]) => ({ [name as string]: value }) as Filter)
  const rows: readonly (readonly [string, (client: Client) => Promise<unknown>])[] = [
    ['a number without a form in JSON', ({ data }) => data('topic').create(Object.assign({ n: 1n }, topic))],
    ['a body that holds itself', ({ data }) => data('topic').create(Object.assign({ circle }, topic))],
    ['a body to check', ({ data }) => data('topic').check({ n: 1n })],
    ['a version with a line end', ({ data }) => data('topic').remove('1', { ifMatch: '"a"\r\nx: y' })],
    ['a version with a sign of no header', ({ data }) => data('topic').remove('1', { ifMatch: '"…"' })],
    ['pages of nothing', ({ data }) => data('topic').iterate({ pageSize: 0 }).next()],
    ['pages of less', ({ data }) => data('topic').iterate({ pageSize: -1 }).next()],
    ...filters.flatMap((filter): typeof rows => [
      [`the filter ${inspect(filter)}`, ({ data }) => data('topic').list({ filter })],
      [`the filter ${inspect(filter)} to explain`, ({ data }) => data('topic').explain({ filter })],
      [
        `the long filter ${inspect(filter)}`,
        ({ data }) => data('topic').list({ filter: { ...filter, url: 'x'.repeat(5_000) } }),
      ],
    ]),
  ]
  for (const [name, call] of rows) {
    it(`is a TypeError before anything is sent: ${name}`, async (t) => {
      const { url, seen } = await serverThat(t, respondWith(204, ''))
      assert.ok((await refusal(call(createClient({ url })))) instanceof TypeError)
      assert.deepEqual(seen, [])
    })
  }

  it('is a TypeError at once where it is in no header: languages', () => {
    for (const language of ['de\n', 'de…', '\0']) {
      assert.throws(() => createClient({ url: 'http://localhost', language }), TypeError)
    }
  })
})

describe('a signal', () => {
  it('ends a request before its response with an AbortError', async (t) => {
    const controller = new AbortController()
    const { url } = await serverThat(t, () => controller.abort())
    const error = await refusal(createClient({ url }).auth.me({ signal: controller.signal }))
    assert.ok(error instanceof DOMException && error.name === 'AbortError')
  })

  it('ends a request in the middle of its response', async (t) => {
    const controller = new AbortController()
    const { url } = await serverThat(
      t,
      (_request, response) => void response.write('{"data":', () => controller.abort()),
    )
    const error = await refusal(createClient({ url }).auth.me({ signal: controller.signal }))
    assert.ok(error instanceof DOMException && error.name === 'AbortError')
  })

  it('keeps its own reason', async (t) => {
    const { url } = await serverThat(t, () => {})
    const error = await refusal(createClient({ url }).auth.me({ signal: AbortSignal.timeout(20) }))
    assert.ok(error instanceof DOMException && error.name === 'TimeoutError')
  })

  it('that has ended already sends nothing', async (t) => {
    const { url, seen } = await serverThat(t, respondWith(200, '{}'))
    const error = await refusal(createClient({ url }).auth.me({ signal: AbortSignal.abort(new Error('left')) }))
    assert.equal((error as Error).message, 'left')
    assert.deepEqual(seen, [])
  })
})

describe('a token', () => {
  // Gateways that are set up for debugging show the headers of a request, and not only in the body.
  for (const [name, scripted] of [
    ['the message', (said) => [400, JSON.stringify({ error: { code: 'badRequest', message: `found ${said}` } }), {}]],
    ['the code', (said) => [409, JSON.stringify({ error: { code: said, message: 'no' } }), {}]],
    ['the type', (said) => [200, 'text', { 'content-type': `text/plain; of=${said.slice(7)}` }]],
    ['the type, cut', (said) => [200, 'text', { 'content-type': `${'x'.repeat(45)}${said.slice(7)}` }]],
    ['the name of the request', (said) => [403, 'text', { 'x-request-id': said }]],
  ] as const satisfies readonly (readonly [string, (said: string) => Parameters<typeof respondWith>])[]) {
    it(`is in no error where a server says it again: ${name}`, async (t) => {
      const { url } = await serverThat(t, (request, response) => {
        respondWith(...scripted(request.headers.authorization ?? ''))(request, response)
      })
      const error = await refusal(createClient({ url, token: TOKEN }).data('topic').get('1'))
      assert.ok(error instanceof DatelineError && /…|aaaa/.test(inspect(error)), inspect(error))
      assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /aaaa\./)
    })
  }

  it('is in no error, whatever goes wrong', async (t) => {
    const { url } = await serverThat(t, (request, response) => {
      if (request.url?.includes('topic') === true) request.socket.destroy()
      else response.writeHead(418, { 'content-type': 'text/html' }).end(request.headers.authorization)
    })
    const client = createClient({ url, token: TOKEN })
    const errors = [
      await refusal(client.data('topic').list()),
      await refusal(client.data('source').list()),
      await refusal(client.auth.me({ signal: AbortSignal.abort() })),
    ]
    for (const error of errors) assert.ok(!inspect(error, { depth: 10, showHidden: true }).includes('secret'))
  })

  for (const token of ['', 'a b', 'sekret\r\nx-evil: 1', 'sekret\0', 'sekrét', '=']) {
    it(`cannot be ${JSON.stringify(token)}, and the error does not show it`, () => {
      const client = createClient({ url: 'http://localhost' })
      for (const set of [() => void (client.token = token), () => createClient({ url: 'http://localhost', token })]) {
        assert.throws(set, (error) => error instanceof TypeError && !inspect(error).includes('sek'))
      }
    })
  }

  it('goes into no URL', async (t) => {
    const { url, seen } = await serverThat(t, respondWith(404, '{}'))
    const client = createClient({ url, token: TOKEN })
    await Promise.allSettled([
      client.auth.me(),
      client.data('topic').list(),
      client.admin.log({ level: 'warn', limit: 5 }),
    ])
    assert.deepEqual(seen.toSorted(), [
      'GET /api/v1/admin/log?level=warn&limit=5',
      'GET /api/v1/auth/me',
      'GET /api/v1/data?model=topic',
    ])
  })
})

describe('a hostile id', () => {
  for (const [id, path] of [
    ['../../auth/me', '/api/v1/data/..%2F..%2Fauth%2Fme?model=topic'],
    ['a?model=user', '/api/v1/data/a%3Fmodel%3Duser?model=topic'],
    ['a#b', '/api/v1/data/a%23b?model=topic'],
    ['%2e%2e', '/api/v1/data/%252e%252e?model=topic'],
    ['a\\b\r\nx: y', '/api/v1/data/a%5Cb%0D%0Ax%3A%20y?model=topic'],
    ['…', '/api/v1/data/%E2%80%A6?model=topic'],
  ] as const) {
    it(`stays one step of the path: ${JSON.stringify(id)}`, async (t) => {
      const { url, seen } = await serverThat(t, respondWith(204, ''))
      await createClient({ url }).data('topic').remove(id)
      assert.deepEqual(seen, [`DELETE ${path}`])
    })
  }

  for (const id of ['', '.', '..', '\ud800', 'a\udc00b']) {
    it(`that no path can hold is found nowhere, and nothing is sent: ${JSON.stringify(id)}`, async (t) => {
      const { url, seen } = await serverThat(t, respondWith(204, ''))
      const { admin, data } = createClient({ url })
      const topics = data('topic')
      const body = { name: 'a', description: '', iconUrl: '', status: 'draft' } as const
      for (const call of [
        topics.get(id),
        topics.replace(id, body),
        topics.remove(id),
        admin.retryMail(id),
        admin.downloadBackup(id),
        admin.sessions(id),
        admin.endSession('1', id),
        admin.endSessions(id),
      ]) {
        assert.ok((await refusal(call)) instanceof NotFound)
      }
      assert.deepEqual(seen, [])
    })
  }
})

describe('the address of the service', () => {
  for (const [url, path] of [
    ['', '/api/v1/auth/me'],
    ['/', '/api/v1/auth/me'],
    ['/news', '/news/api/v1/auth/me'],
    ['/news//', '/news/api/v1/auth/me'],
    ['/news?a=1#b', '/news/api/v1/auth/me'],
  ] as const) {
    it(`may end in ${JSON.stringify(url)}`, async (t) => {
      const server = await serverThat(t, respondWith(404, '{}'))
      await refusal(createClient({ url: server.url + url }).auth.me())
      assert.deepEqual(server.seen, [`GET ${path}`])
    })
  }

  for (const url of [
    'localhost:8080',
    'file:///etc/passwd',
    'news.example.org',
    'http://a:sekret@localhost',
    undefined,
  ]) {
    it(`cannot be ${url}`, () => {
      assert.throws(
        () => createClient({ url }),
        (error) => error instanceof TypeError && !inspect(error).includes('sekret'),
      )
    })
  }

  it('is that of the page, relative to it, where there is one', async (t) => {
    Object.assign(globalThis, { location: { href: 'https://example.org/news/#/headlines' } })
    t.after(() => void Reflect.deleteProperty(globalThis, 'location'))
    const asked: string[] = []
    const client = createClient({
      fetch: async (target) => {
        asked.push(String(target))
        return Response.json({ data: { id: '1' } })
      },
    })
    await client.auth.me()
    assert.deepEqual(asked, ['api/v1/auth/me'])
  })
})
