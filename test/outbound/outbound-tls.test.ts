/** TLS and proxies: which certificates are accepted, and what a proxy is asked. */
import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { portFor } from '../../scripts/tools/listening.ts'
import { misbehavingServer, respondWith, type Script } from '../support/outbound/misbehaving-server.ts'
import { parseOutboundProxy } from '../../src/outbound/outbound-proxy.ts'
import { attempt, type ClientSetup } from '../support/outbound/outbound-requests.ts'
import { OTHER_CERTIFICATE, OTHER_KEY, TEST_CERTIFICATE, TEST_KEY } from '../support/service/test-certificate.ts'
import { AUTHORITY, EXPIRED_SERVER, GOOD_SERVER, OTHER_SERVER } from '../support/smtp/mail-certificates.ts'

type Test = Parameters<typeof misbehavingServer>[0]
const HERE = respondWith(200, {}, 'here')
const SECRET = { user: 'ann', password: 'hunter2' }

async function get(address: string, setup: ClientSetup = {}): Promise<string> {
  const arrival = await attempt(setup, { address, credentials: SECRET })
  return typeof arrival === 'string' ? arrival : String(arrival.body)
}

describe('https', () => {
  const served = (t: Test, { certificate: cert, key } = GOOD_SERVER) => misbehavingServer(t, HERE, { cert, key })

  it('accepts a certificate of an authority in --outbound-ca', async (t) => {
    const { port } = await served(t)
    assert.equal(await get(`https://localhost:${port}/`, { ca: [AUTHORITY] }), 'here')
    assert.equal(await get(`https://localhost.:${port}/`, { ca: [AUTHORITY] }), 'here')
  })

  const rejected: readonly (readonly [name: string, server: typeof GOOD_SERVER, host: string, ca: readonly string[], wanted: RegExp])[] = [
    ['of an unknown authority', GOOD_SERVER, 'localhost', [], /^tls: "localhost": The server's certificate was issued by "CN=Dateline test authority, O=Example", which this machine does not trust: set --outbound-ca/],
    ['that is self-signed', { certificate: TEST_CERTIFICATE, key: TEST_KEY }, 'localhost', [AUTHORITY], /^tls: "localhost": The server's certificate is self-signed, .*: set --outbound-ca to it/],
    ['for another name', OTHER_SERVER, 'localhost', [AUTHORITY], /^tls: "localhost": The server's certificate is for "mail\.example\.test": use that name in the address$/],
    ['for no IP address', GOOD_SERVER, '127.0.0.1', [AUTHORITY], /^tls: "127\.0\.0\.1": The server's certificate is for another name: use that name in the address$/],
    ['that has expired', EXPIRED_SERVER, 'localhost', [AUTHORITY], /^tls: "localhost": .* has expired: renew it/],
  ]
  for (const [name, certificate, host, ca, wanted] of rejected) {
    it(`rejects a certificate ${name}, and sends nothing`, async (t) => {
      const server = await served(t, certificate)
      assert.match(await get(`https://${host}:${server.port}/`, { ca }), wanted)
      assert.deepEqual(server.heads, [])
    })
  }

  it('says that a server does not speak TLS, that it is silent, or that it hangs up', async (t) => {
    const talks = (script: (socket: Socket) => void) => portFor(t, createServer(script))
    assert.match(await get(`https://localhost:${await talks((socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))}/`), /^tls: "localhost" does not speak TLS on this port: use http:\/\//)
    assert.match(await get(`https://localhost:${await talks(() => {})}/`, { limits: { totalMs: 100 } }), /^timeout: /)
    assert.match(await get(`https://localhost:${await talks((socket) => void socket.destroy())}/`), /^connect: "localhost" reset the connection/)
  })

  it('takes a server by its certificate, wherever its name leads', async (t) => {
    const { port } = await served(t, { certificate: OTHER_CERTIFICATE, key: OTHER_KEY })
    assert.equal(await get(`https://localhost:${port}/`, { ca: [OTHER_CERTIFICATE], names: { localhost: [['127.0.0.1']] } }), 'here')
  })
})

describe('a proxy', () => {
  /** Connects tunnels to the port, and forwards nothing else. */
  const tunnels = (port: number): Script => (socket, head) => {
    if (!head.startsWith('CONNECT ')) return HERE(socket, head)
    const inner = connect(port, '127.0.0.1', () => {
      socket.removeAllListeners('data')
      socket.write('HTTP/1.1 200 X\r\n\r\n')
      socket.pipe(inner).pipe(socket)
    })
    inner.on('error', () => {})
    socket.on('close', () => inner.destroy())
  }
  const proxyOf = (port: number, more = '') => parseOutboundProxy(`http://${more}127.0.0.1:${port}`)
  const PROXY_BASIC = `proxy-authorization: Basic ${Buffer.from('bob:proxypass').toString('base64')}`

  it('is asked for whole addresses of http, and looks the names up itself', async (t) => {
    const proxy = await misbehavingServer(t, HERE)
    // The rules allow no private address, and the proxy has one.
    assert.equal(await get('http://news.example:8080/feed?x=1', { allow: '', names: 'silent', proxy: proxyOf(proxy.port, 'bob:proxypass@') }), 'here')
    assert.match(proxy.heads[0] ?? '', /^GET http:\/\/news\.example:8080\/feed\?x=1 HTTP\/1\.1\r\nhost: news\.example:8080\r\n/)
    assert.ok(proxy.heads[0]?.includes(PROXY_BASIC))
  })

  it('is asked for a tunnel for https, and sees no secret of it', async (t) => {
    const server = await misbehavingServer(t, HERE, { cert: GOOD_SERVER.certificate, key: GOOD_SERVER.key })
    const proxy = await misbehavingServer(t, tunnels(server.port))
    assert.equal(await get('https://localhost/feed', { allow: 'localhost', names: 'silent', ca: [AUTHORITY], proxy: proxyOf(proxy.port, 'bob:proxypass@') }), 'here')
    assert.equal(proxy.heads[0], `CONNECT localhost:443 HTTP/1.1\r\nhost: localhost:443\r\n${PROXY_BASIC}\r\nConnection: close`)
    assert.match(server.heads[0] ?? '', /^GET \/feed HTTP/)
    assert.doesNotMatch(server.heads[0] ?? '', /proxy-authorization/)
  })

  it('may speak TLS itself', async (t) => {
    const server = await misbehavingServer(t, HERE, { cert: GOOD_SERVER.certificate, key: GOOD_SERVER.key })
    const proxy = await misbehavingServer(t, tunnels(server.port), { cert: GOOD_SERVER.certificate, key: GOOD_SERVER.key })
    const setup = { allow: 'localhost', ca: [AUTHORITY], proxy: parseOutboundProxy(`https://localhost:${proxy.port}`) }
    assert.equal(await get('https://localhost/feed', setup), 'here')
    assert.match(await get('https://localhost/feed', { ...setup, ca: [] }), /^proxy: The proxy cannot be used: "localhost": The server's certificate was issued by .*; check --outbound-proxy$/)
  })

  const rows: readonly (readonly [name: string, script: Script, wanted: RegExp])[] = [
    ['asks for a password', respondWith(407), /^proxy: The proxy responded with 407: set user and password in --outbound-proxy$/],
    ['forbids the host', respondWith(403), /^proxy: The proxy responded with 403: see the log of the proxy/],
    ['is no proxy', (socket) => void socket.end('220 mail\r\n'), /^proxy: The proxy does not open a tunnel: check --outbound-proxy$/],
    ['hangs up', (socket) => void socket.end(), /^proxy: The proxy does not open a tunnel/],
    ['injects bytes before the handshake', (socket) => void socket.write('HTTP/1.1 200 X\r\n\r\ninjected'), /^proxy: The proxy sent more than its response/],
    ['is silent', () => {}, /^timeout: /],
  ]
  for (const [name, script, wanted] of rows) {
    it(`that ${name} is named as what failed`, async (t) => {
      const { port } = await misbehavingServer(t, script)
      assert.match(await get('https://news.example/feed', { proxy: proxyOf(port), limits: { totalMs: name === 'is silent' ? 200 : 30_000 } }), wanted)
    })
  }

  it('that asks for a password for http, or is not there, is named as well', async (t) => {
    const { port } = await misbehavingServer(t, respondWith(407))
    assert.match(await get('http://news.example/', { proxy: proxyOf(port) }), /^proxy: The proxy responded with 407/)
    const gone = { ...proxyOf(port), host: '127.0.0.9' }
    assert.match(await get('http://news.example/', { proxy: gone }), /^proxy: The proxy cannot be used: "127\.0\.0\.9" refused the connection/)
  })
})
