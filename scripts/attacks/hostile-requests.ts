/** Requests that are no requests, and floods that need no account. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Attack, Outcome, Site } from './attack.ts'
import { inParallel, settlesWithin, statusCounts, type TimedResponse } from './loopback-client.ts'

const RESPONSE_MS_MAX = 20_000
const FLOOD_MS = 5_000
const FLOOD_MS_QUICK = 1_500

export const hostileRequests: Attack = {
  name: 'hostile-requests',
  tries: '40 malformed, smuggled, oversized and foreign requests, each on a connection of its own',
  isQuick: true,
  run: (site) => sendHostileRequests(site, RESPONSE_MS_MAX),
}

/** Each request gets an error or is disconnected, in so many milliseconds. */
export async function sendHostileRequests(
  site: Pick<Site, 'port' | 'publisher' | 'connect' | 'newAddress'>,
  responseMsMax: number,
): Promise<Outcome> {
  const requests = hostileBytes(site.port, site.publisher.token)
  const results = await inParallel(requests.length, async (i) => {
    const { what, bytes, mayPass = false } = requests[i] as HostileRequest
    const socket = await site.connect(site.newAddress())
    let received = ''
    const ended = new Promise<void>((resolve) => {
      socket.once('close', resolve)
      socket.setEncoding('latin1').on('data', (text: string) => {
        received = (received + text).slice(0, 10_000)
        if (/^HTTP\/1\.[01] [2-5]\d\d/.test(received)) resolve()
      })
    })
    if (socket.writable) socket.write(Buffer.from(bytes, 'latin1'))
    const isInTime = await settlesWithin(ended, responseMsMax)
    await pause(200)
    socket.destroy()
    const statuses = [...received.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) => Number(status))
    return { what, mayPass, isInTime, statuses, received }
  })
  const faults = results.flatMap(({ what, mayPass, isInTime, statuses, received }) => [
    ...(isInTime ? [] : [`${what}: no response`]),
    ...statuses.filter((status) => status >= 500).map((status) => `${what}: ${status}`),
    ...(!mayPass && statuses.some((status) => status < 300 && status >= 200) ? [`${what}: the response is 2xx`] : []),
    ...(/node_modules|\bat .*\.ts:\d+|SQLITE_|\/src\//.test(received) ? [`${what}: internals in the response`] : []),
  ])
  return { notes: [`${results.length} requests, ${faults.length} faults`], faults }
}

interface HostileRequest {
  readonly what: string
  readonly bytes: string
  readonly mayPass?: boolean
}

function hostileBytes(port: number, token: string): readonly HostileRequest[] {
  const host = `Host: 127.0.0.1:${port}\r\n`
  const get = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\n${host}${headers}\r\n`
  const post = (headers: string, body: string): string =>
    `POST /api/v1/auth/verify-code HTTP/1.1\r\n${host}Content-Type: application/json\r\n${headers}\r\n${body}`
  const me = '/api/v1/auth/me'
  const bearer = (text: string): string => get(me, `Authorization: Bearer ${text}\r\n`)
  const [header = '', claims = '', signature = ''] = token.split('.')
  const forged = (head: object): string => Buffer.from(JSON.stringify(head)).toString('base64url')
  return [
    { what: 'headers of 70 KB', bytes: get('/healthz', `X: ${'x'.repeat(70_000)}\r\n`) },
    { what: 'a target of 70 KB', bytes: get(`/${'x'.repeat(70_000)}`) },
    { what: '3,000 headers', bytes: get(me, Array.from({ length: 3_000 }, (_, i) => `X${i}: 1\r\n`).join('')) },
    { what: 'NUL in a header', bytes: get('/healthz', 'X: a\0b\r\n') },
    { what: 'two lengths', bytes: post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}x') },
    { what: 'length and chunks', bytes: post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n') },
    { what: 'chunked twice', bytes: post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n') },
    { what: 'another coding', bytes: post('Transfer-Encoding: gzip\r\n', '0\r\n\r\n') },
    { what: 'a negative length', bytes: post('Content-Length: -1\r\n', '') },
    { what: 'a huge length', bytes: post('Content-Length: 99999999999999999999\r\n', '') },
    { what: 'a chunk of a huge length', bytes: post('Transfer-Encoding: chunked\r\n', 'ffffffffffffffff1\r\n') },
    { what: 'a chunk extension of 100 KB', bytes: post('Transfer-Encoding: chunked\r\n', `1;${'x'.repeat(100_000)}`) },
    { what: 'a compressed body', bytes: post('Content-Encoding: gzip\r\nContent-Length: 4\r\n', '\x1f\x8b\x08\0') },
    { what: 'a foreign host', bytes: `GET / HTTP/1.1\r\nHost: evil.example.org\r\n\r\n` },
    { what: 'no host', bytes: 'GET /healthz HTTP/1.1\r\n\r\n' },
    { what: 'two hosts', bytes: `GET /healthz HTTP/1.1\r\n${host}Host: b\r\n\r\n` },
    { what: 'an absolute target elsewhere', bytes: `GET http://evil.example.org/ HTTP/1.1\r\n${host}\r\n` },
    { what: 'CONNECT', bytes: `CONNECT example.org:443 HTTP/1.1\r\n${host}\r\n` },
    { what: 'TRACE', bytes: `TRACE / HTTP/1.1\r\n${host}Connection: close\r\n\r\n` },
    { what: 'HTTP/0.9', bytes: 'GET /healthz\r\n\r\n', mayPass: true },
    { what: 'HTTP/9.9', bytes: `GET /healthz HTTP/9.9\r\n${host}\r\n` },
    { what: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
    { what: 'a handshake of TLS', bytes: '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03' + '\0'.repeat(500) },
    { what: 'a folded header', bytes: `GET /api/v1/auth/me HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n` },
    { what: 'a space before the colon', bytes: get('/healthz', 'X : a\r\n') },
    { what: 'dots upward', bytes: get('/assets/../../../../etc/passwd') },
    { what: 'encoded dots upward', bytes: get('/assets/%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd') },
    { what: 'NUL in the path', bytes: get('/api/v1/data/%00?model=topic', `Authorization: Bearer ${token}\r\n`) },
    { what: 'bad percent signs', bytes: get('/api/v1/data?model=%zz&filter=%', `Authorization: Bearer ${token}\r\n`) },
    {
      what: 'bad UTF-8 in a filter',
      bytes: get('/api/v1/data?model=topic&filter=%ff%fe', `Authorization: Bearer ${token}\r\n`),
    },
    { what: 'a token of 60 KB', bytes: bearer('x'.repeat(60_000)) },
    { what: 'a token without signature', bytes: bearer(`${header}.${claims}.`) },
    { what: 'a token with alg none', bytes: bearer(`${forged({ alg: 'none', typ: 'JWT' })}.${claims}.`) },
    { what: 'a token with another signature', bytes: bearer(`${header}.${claims}.${'A'.repeat(signature.length)}`) },
    { what: 'a token with other claims', bytes: bearer(`${header}.${forged({ sub: 'x' })}.${signature}`) },
    { what: 'metrics through a proxy', bytes: get('/metrics', 'X-Forwarded-For: 127.0.0.1\r\n') },
    { what: 'metrics under another name', bytes: `GET /metrics HTTP/1.1\r\nHost: a.example.org\r\n\r\n` },
    {
      what: 'a foreign web page',
      bytes:
        `POST /api/v1/auth/anonymous HTTP/1.1\r\n${host}Origin: https://evil.example.org\r\n` +
        'Content-Length: 0\r\n\r\n',
    },
    {
      what: 'a second request in the body',
      bytes: post('Content-Length: 5\r\nContent-Length: 5\r\nX: y\r\n', `{"a":GET ${me} HTTP/1.1\r\n\r\n`),
    },
    { what: 'an upgrade', bytes: get(me, 'Connection: Upgrade\r\nUpgrade: websocket\r\n') },
  ]
}

/** No account, no secret: requests of strangers at full speed. */
export const floodUnsigned: Attack = {
  name: 'flood-unsigned',
  tries: '32 connections request pages, the API description and unknown paths, and send bad tokens, at full speed',
  isQuick: true,
  // The service has one core for requests, which such a flood may fill: others queue behind 32 of them.
  limits: { othersMedianMs: 100, othersP99Ms: 600, growthMib: 150 },
  async run(site) {
    const files = ['/', '/docs', '/api/v1/openapi.json', '/healthz']
    const paths = [...files, '/nowhere', '/api/v1/auth/me', '/api/v1/data?model=x']
    const until = performance.now() + (site.isQuick ? FLOOD_MS_QUICK : FLOOD_MS)
    const token = `${site.publisher.token.slice(0, -5)}AAAAA`
    const responses = await inParallel(32, async (i) => {
      const from = site.newAddress()
      const counts: Pick<TimedResponse, 'status' | 'text'>[] = []
      while (performance.now() < until) {
        const { status, text } = await site.send({ path: paths[i % paths.length] as string, token, from })
        counts.push({ status, text: status === 0 ? text : '' })
      }
      return counts
    })
    const all = responses.flat()
    const failed = all.filter(({ status }) => status === 0 || status >= 500)
    return {
      notes: [statusCounts(all)],
      faults: failed.length === 0 ? [] : [`the flood itself met ${statusCounts(failed)}`],
    }
  },
}
