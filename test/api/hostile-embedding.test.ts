/**
 * A foreign web page, open beside the dashboard, can point a frame, a script or a picture at any response of the
 * service, and a cache on the way may keep it for others.
 *
 * So every kind of response says what it is, that no page may frame it or run anything in it, and how long it may be kept:
 * the errors as well, also those that come before there is a request to respond to.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TOPIC } from '../../scripts/tools/data-bodies.ts'
import { RawConnection } from '../support/service/http-client.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin, guest } = await startSite()
const PORT = Number(new URL(service.url).port)
const topic = await service.data('POST', '', { model: 'topic' }, { token: admin.token, body: TOPIC })
const TAG = topic.headers.get('etag') ?? ''
const PATH = `/api/v1/data/${String(topic.at('data.id'))}?model=topic`
const backup = await service.call('POST', '/api/v1/admin/backups', { token: admin.token })

const AS_ADMIN = `Authorization: Bearer ${admin.token}`
const AS_GUEST = `Authorization: Bearer ${guest.token}`
const JSON_BODY = ['Content-Type: application/json', 'Content-Length: 2']

const RESPONSES: (readonly [status: number, request: string, headers?: readonly string[], body?: string])[] = [
  [200, 'GET /api/v1/data?model=topic', [AS_ADMIN]],
  [200, 'GET /api/v1/dashboard/setup'],
  [200, 'GET /api/v1/openapi.json'],
  [200, 'GET /healthz'],
  [200, `GET /api/v1/admin/backups/${String(backup.at('data.name'))}`, [AS_ADMIN]],
  [201, 'POST /api/v1/admin/backups', [AS_ADMIN]],
  [204, 'OPTIONS /api/v1/data'],
  [304, `GET ${PATH}`, [AS_ADMIN, `If-None-Match: ${TAG}`]],
  [400, 'GET /api/v1/data?model=nothing', [AS_ADMIN]],
  [400, 'POST /api/v1/data?model=topic', [AS_ADMIN, ...JSON_BODY], '[]'],
  [400, 'GET / HTTP/1.1\r\nbad header'],
  [403, 'GET /api/v1/admin/status', [AS_GUEST]],
  [412, `DELETE ${PATH}`, [AS_ADMIN, 'If-Match: "other"']],
  [413, 'POST /api/v1/data?model=topic', [AS_ADMIN, 'Content-Type: application/json', 'Content-Length: 9999999']],
  [421, 'GET http://rebound.example/'],
  [431, 'GET /', [`X-Long: ${'x'.repeat(70_000)}`]],
  // Where the pages were not built, which an executable always has.
  ...(ONLY_HERE === false ? [[503, 'GET /'] as const] : []),
]

const send = async ([, request, headers = [], body = '']: (typeof RESPONSES)[number], origin?: string) => {
  const connection = await RawConnection.open(PORT)
  const line = request.includes('HTTP/') ? request : `${request} HTTP/1.1`
  const from = origin === undefined ? [] : [`Origin: ${origin}`]
  connection.write([line, 'Host: localhost', ...from, ...headers, '', body].join('\r\n'))
  try {
    return await connection.response()
  } finally {
    connection.destroy()
  }
}

/** Documents that all may read are kept by their reader alone, and asked for again each time. */
function storing(status: number, request: string): RegExp {
  if (status === 503 || request === 'GET /robots.txt') return /^no-cache$/
  return [200, 304].includes(status) && request.startsWith('GET /api/v1/data') ? /^private, no-cache$/ : /^no-store$/
}

describe('a response that a foreign page frames, embeds or caches', () => {
  for (const row of RESPONSES) {
    const [status, request] = row
    it(`forbids it: ${status} to ${request.replaceAll('\r\n', ' ').slice(0, 60)}`, async () => {
      service.advance(1_000)
      for (const origin of [undefined, 'http://evil.example']) {
        const { status: found, headers, text } = await send(row, origin)
        if (origin === undefined) assert.equal(found, status, text.slice(0, 300))
        const policy = headers['content-security-policy'] ?? ''
        assert.match(policy, /^default-src 'none';/)
        assert.match(policy, /\bframe-ancestors 'none'/)
        assert.equal(headers['x-content-type-options'], 'nosniff')
        assert.match(headers['cache-control'] ?? '', storing(found, request))
        assert.match(headers['vary'] ?? '', /\bOrigin\b/)
        assert.equal(headers['access-control-allow-origin'], undefined)
        if (text !== '') assert.match(headers['content-type'] ?? '', /^(application\/|text\/plain)/)
      }
    })
  }
})
