import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fail } from '../../src/base/failure.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { corsHeaders, parseOrigins } from '../../src/http/cors.ts'
import type { CorsPolicy } from '../../src/http/cors.ts'
import { ok } from '../../src/http/exchange.ts'
import type { Route } from '../../src/http/router.ts'
import { send } from '../support/service/http-client.ts'
import { startServer } from '../support/service/http-server.ts'

const APP = ['https://app.example.org', 'http://localhost:3000']

const ROWS: [origin: string | undefined, policy: CorsPolicy, allowed: boolean][] = [
  ['http://localhost:5173', 'local', true],
  ['http://127.0.0.1:8080', 'local', true],
  ['https://localhost:5173', 'local', false],
  ['http://localhost.evil.example', 'local', false],
  ['http://localhost:5173/', 'local', false],
  ['http://127.0.0.2', 'local', false],
  ['http://[::1]:80', 'local', false],
  ['null', 'local', false],
  [undefined, 'local', false],
  ['https://app.example.org', APP, true],
  ['http://localhost:3001', APP, false],
  ['http://app.example.org', APP, false],
  ['https://app.example.org:8443', APP, false],
  ['https://app.example.org.evil.example', APP, false],
  ['null', APP, false],
  ['file://', 'local', false],
  ['file://', ['file://'], true],
  ['null', ['file://'], false],
  ['file://', ['null'], false],
  ['app://bundle', ['app://bundle'], true],
]

describe('corsHeaders()', () => {
  for (const [origin, policy, allowed] of ROWS) {
    it(`${allowed ? 'lets' : 'does not let'} ${origin ?? 'no origin'} read under ${JSON.stringify(policy)}`, () => {
      const headers = corsHeaders(policy)(origin)
      assert.deepEqual(headers.slice(0, 2), ['Vary', 'Origin'])
      const expected = allowed
        ? [
            ...['Access-Control-Allow-Origin', origin, 'Access-Control-Allow-Credentials', 'true'],
            ...['Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE, OPTIONS'],
            'Access-Control-Allow-Headers',
            'Origin, Content-Type, Authorization, Accept, If-Match, If-None-Match, X-Dateline-Position, Consistency, ' +
              'Idempotency-Key, Cache-Control, Last-Event-ID',
            'Access-Control-Expose-Headers',
            'X-Request-Id, X-Dateline-Instance, X-Dateline-Position, X-Dateline-Quorum, Retry-After, ETag',
            ...['Access-Control-Max-Age', '86400'],
          ]
        : []
      assert.deepEqual(headers.slice(2), expected)
    })
  }
})

it('attack: with null among the origins, a frame in a sandbox of any site reads what the browser is signed in to', () => {
  const headers = corsHeaders(['null'])('null')
  assert.deepEqual(headers.slice(0, 4), ['Vary', 'Origin', 'Access-Control-Allow-Origin', 'null'])
  assert.ok(!headers.includes('Access-Control-Allow-Credentials'))
  const flags = new Map([['corsOrigins', 'null'], ['authHeader', 'X-Auth-Email'], ['trustedProxies', '10.0.0.1']] as const)
  assert.throws(() => readConfig(flags, {}), /^ConfigError: Cannot use --auth-header with null in --cors-origins: /)
})

describe('parseOrigins()', () => {
  it('reads a comma list', () => {
    assert.deepEqual(parseOrigins(' https://a.example , http://[::1]:80,capacitor://localhost,'), [
      'https://a.example',
      'http://[::1]:80',
      'capacitor://localhost',
    ])
    assert.deepEqual(parseOrigins(''), [])
  })

  for (const bad of [
    '*',
    'file:///',
    'a.example',
    'https://a.example/',
    'https://A.example',
    'https://a b',
  ]) {
    it(`refuses ${JSON.stringify(bad)} and names it`, () => {
      assert.throws(() => parseOrigins(`https://ok.example, ${bad}`), { message: new RegExp(`"${RegExp.escape(bad)}"`) })
    })
  }
})

describe('the responses to another origin', () => {
  const routes: Route[] = [
    { method: 'GET', path: '/fine', handler: () => ok('{}') },
    {
      method: 'GET',
      path: '/limited',
      handler: () => {
        throw fail('tooManyRequests', 'Cannot', { headers: { 'Retry-After': '5' } })
      },
    },
    {
      method: 'GET',
      path: '/broken',
      handler: () => {
        throw new Error('a bug')
      },
    },
    { method: 'POST', path: '/body', handler: async (x) => ok(JSON.stringify(await x.readJson())) },
  ]

  it('carry the headers on every status, and never to a foreign origin', async () => {
    await using server = await startServer(routes)
    for (const [method, path, status] of [
      ['GET', '/fine', 200],
      ['GET', '/limited', 429],
      ['GET', '/broken', 500],
      ['GET', '/nowhere', 404],
      ['PUT', '/fine', 405],
      ['POST', '/body', 400],
      ['HEAD', '/fine', 200],
      ['OPTIONS', '/fine', 204],
      ['OPTIONS', '/nowhere', 204],
    ] as const) {
      const own = await send(server.port, path, { method, headers: { Origin: 'http://localhost:1' } })
      assert.equal(own.status, status, path)
      assert.equal(own.headers['access-control-allow-origin'], 'http://localhost:1', path)
      assert.equal(own.headers['access-control-allow-credentials'], 'true', path)
      assert.equal(own.headers.vary, 'Origin', path)
      const foreign = await send(server.port, path, { method, headers: { Origin: 'https://evil.example' } })
      const isWrite = method === 'PUT' || method === 'POST'
      assert.equal(foreign.status, isWrite ? 403 : status, 'a foreign origin gets the response to a read')
      assert.deepEqual(Object.keys(foreign.headers).filter((name) => name.startsWith('access-control')), [])
      assert.equal(foreign.headers.vary, 'Origin', 'a cache must not hand this response to an allowed origin')
    }
  })
})
