/** TLS of our own: what certificate is taken, what connections it makes, and its renewal while the server runs. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { createRenewal } from '../../src/http/certificate-renewal.ts'
import { loadCertificate, type Certificate, type CertificateFiles } from '../../src/http/certificate.ts'
import { ok } from '../../src/http/exchange.ts'
import type { Route } from '../../src/http/router.ts'
import { startServer, type TestServer } from '../support/service/http-server.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import {
  EXPIRED_CERTIFICATE,
  FUTURE_CERTIFICATE,
  LOCKED_KEY,
  OTHER_CERTIFICATE,
  OTHER_KEY,
  TEST_CERTIFICATE,
  TEST_KEY,
} from '../support/service/test-certificate.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const DAY_MS = 24 * 60 * 60 * 1000

function filesWith(t: Cleanup, cert: string, key: string): CertificateFiles {
  const directory = temporaryDirectory(t)
  const files = { certFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') }
  writeFileSync(files.certFile, cert)
  writeFileSync(files.keyFile, key)
  return files
}

describe('loadCertificate()', () => {
  it('takes a chain, with text between its parts', (t) => {
    const chain = `a note\n${TEST_CERTIFICATE}more\n${OTHER_CERTIFICATE}`
    const { expiresAt } = loadCertificate(filesWith(t, chain, TEST_KEY), NOW)
    assert.equal(expiresAt, Date.parse('2120-01-01T00:00:00Z'))
  })

  for (const [name, cert, key, message] of [
    ['an empty certificate', '', TEST_KEY, /certificate in ".*cert\.pem": expected PEM text, found none$/],
    [
      'a damaged certificate',
      TEST_CERTIFICATE.replace('MIIB', 'MIIC'),
      TEST_KEY,
      /certificate in ".*cert\.pem": it is damaged$/,
    ],
    ['no key', TEST_CERTIFICATE, 'x', /key in ".*key\.pem": expected a private key in PEM text, found none$/],
    ['a locked key', OTHER_CERTIFICATE, LOCKED_KEY, /found one that a passphrase protects$/],
    ['the key of another certificate', TEST_CERTIFICATE, OTHER_KEY, /key in ".*" with .*: they are no pair$/],
    [
      'a chain in the wrong order',
      OTHER_CERTIFICATE + TEST_CERTIFICATE,
      TEST_KEY,
      /it belongs to a certificate further down, which has to come first$/,
    ],
    ['an expired certificate', EXPIRED_CERTIFICATE, OTHER_KEY, /it expired at 2021-01-01T00:00:00\.000Z$/],
    ['a certificate of the future', FUTURE_CERTIFICATE, OTHER_KEY, /it begins at 2100-01-01T00:00:00\.000Z$/],
    ['a file of another kind', 'x'.repeat(1024 * 1024 + 1), TEST_KEY, /expected at most 1048576 bytes, found 1048577$/],
  ] as const) {
    it(`refuses ${name} in one sentence, without a word of the key`, (t) => {
      assert.throws(() => loadCertificate(filesWith(t, cert, key), NOW), { name: 'CertificateError', message })
    })
  }

  it('refuses files that are not there', (t) => {
    const files = filesWith(t, TEST_CERTIFICATE, TEST_KEY)
    for (const file of [files.keyFile, files.certFile]) {
      rmSync(file)
      assert.throws(() => loadCertificate(files, NOW), { name: 'CertificateError', message: /no such file/ })
    }
  })

  it('attack: refuses a device, which has no end', { skip: process.platform === 'win32' }, (t) => {
    const files = { ...filesWith(t, TEST_CERTIFICATE, TEST_KEY), keyFile: '/dev/zero' }
    const message = 'Cannot read the key in "/dev/zero": expected a regular file, found a device or pipe'
    assert.throws(() => loadCertificate(files, NOW), { name: 'CertificateError', message })
  })
})

const ROUTES: readonly Route[] = [{ method: 'GET', path: '/', handler: (x) => ok(JSON.stringify(x.clientAddress)) }]
const FIRST: Certificate = { cert: TEST_CERTIFICATE, key: TEST_KEY, expiresAt: NOW + 365 * DAY_MS }
const SECOND: Certificate = { cert: OTHER_CERTIFICATE, key: OTHER_KEY, expiresAt: NOW + 365 * DAY_MS }

const start = (): Promise<TestServer> => startServer(ROUTES, { certificate: FIRST })

async function secureSocket(port: number, options = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: TEST_CERTIFICATE, ...options })
  await once(socket, 'secureConnect')
  return socket
}

describe('a server with a certificate', () => {
  it('responds over TLS, with every header', async () => {
    await using server = await start()
    const outgoing = request({ port: server.port, host: 'localhost', ca: TEST_CERTIFICATE, agent: false, family: 4 })
    const [incoming] = (await once(outgoing.end(), 'response')) as [{ statusCode: number; headers: object }]
    assert.equal(incoming.statusCode, 200)
    assert.ok('x-dateline-instance' in incoming.headers)
    assert.equal('strict-transport-security' in incoming.headers, false)
  })

  it('speaks TLS 1.2 and 1.3 and nothing older', async () => {
    await using server = await start()
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await secureSocket(server.port, { minVersion: version, maxVersion: version })
      assert.equal(socket.getProtocol(), version)
      socket.destroy()
    }
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
    await assert.rejects(secureSocket(server.port, old), { code: /PROTOCOL_VERSION|HANDSHAKE_FAILURE|PROTOCOL/ })
  })

  it('ends a connection that speaks no TLS, and serves the next', async () => {
    await using server = await start()
    for (const bytes of ['GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', '\x16\x03\x01\xff\xff', '\0\0\0\0\0']) {
      const socket = connectPlain({ port: server.port, host: '127.0.0.1' }).on('error', () => {})
      socket.end(bytes)
      await once(socket.resume(), 'close')
    }
    const next = await secureSocket(server.port)
    next.destroy()
    assert.deepEqual(server.entries.filter(({ level }) => level === 'error'), [])
  })

  it('refuses what is no HTTP with a response of its own, inside TLS', async () => {
    await using server = await start()
    const socket = await secureSocket(server.port)
    socket.end('nonsense\r\n\r\n')
    let text = ''
    for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString()
    assert.match(text, /^HTTP\/1\.1 400 [^]*\r\nX-Dateline-Instance: instance-1\r\n[^]*"badRequest"/)
  })

  it('closes at once, also with a handshake that never goes on', async () => {
    await using server = await startServer(ROUTES, { certificate: FIRST, limits: { closeMs: 60_000 } })
    const silent = connectPlain({ port: server.port, host: '127.0.0.1' }).on('error', () => {})
    await once(silent, 'connect')
    const idle = await secureSocket(server.port)
    idle.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(idle, 'data')
    const ended = [once(silent.resume(), 'close'), once(idle.resume(), 'close')]
    await server.close()
    await Promise.all(ended)
  })

  it('gives up on a handshake after the time for headers', async () => {
    await using server = await startServer(ROUTES, { certificate: FIRST, limits: { headersMs: 20 } })
    const silent = connectPlain({ port: server.port, host: '127.0.0.1' }).on('error', () => {})
    await once(silent.resume(), 'close')
  })

  it('gives new connections a new certificate, and leaves the open ones alone', async () => {
    await using server = await start()
    const before = await secureSocket(server.port)
    server.setCertificate(SECOND)
    const after = await secureSocket(server.port, { ca: OTHER_CERTIFICATE })
    const nameOf = (socket: TLSSocket): string => String((socket.getPeerCertificate() as PeerCertificate).subject.CN)
    assert.deepEqual([nameOf(before), nameOf(after)], ['Dateline test mail server', 'Dateline test web server'])
    for (const socket of [before, after]) {
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      assert.match(chunk.toString(), /^HTTP\/1\.1 200 /)
      socket.destroy()
    }
  })
})

describe('createRenewal()', () => {
  const begin = (files: CertificateFiles) => {
    const { log, entries } = recordingLog()
    const used: string[] = []
    let now = NOW
    const renewal = createRenewal(files, { log, now: () => now })
    renewal.onChange(({ cert }) => used.push(cert))
    return { renewal, entries, used, advance: (ms: number) => void (now += ms) }
  }

  it('takes a renewed certificate when asked, and when a file has changed', (t) => {
    const files = filesWith(t, TEST_CERTIFICATE, TEST_KEY)
    const { renewal, entries, used } = begin(files)
    renewal.check()
    assert.deepEqual(used, [], 'nothing has changed')
    writeFileSync(files.certFile, OTHER_CERTIFICATE)
    writeFileSync(files.keyFile, OTHER_KEY)
    renewal.check()
    renewal.check()
    assert.deepEqual(used, [OTHER_CERTIFICATE])
    renewal.reload(files)
    assert.equal(used.length, 2)
    assert.deepEqual(entries.map(({ event }) => event), ['certificate.loaded', 'certificate.loaded'])
  })

  it('keeps the old certificate when the new one cannot be used, and says why', (t) => {
    const files = filesWith(t, TEST_CERTIFICATE, TEST_KEY)
    const { renewal, entries, used } = begin(files)
    for (const [cert, reason] of [
      [OTHER_CERTIFICATE, /no pair/],
      ['', /found none/],
      [EXPIRED_CERTIFICATE, /no pair/],
    ] as const) {
      writeFileSync(files.certFile, cert)
      renewal.reload(files)
      const last = entries.at(-1)
      assert.deepEqual([last?.level, last?.event], ['error', 'certificate.kept'])
      assert.match(String(last?.fields['reason']), reason)
    }
    assert.deepEqual(used, [])
    writeFileSync(files.certFile, TEST_CERTIFICATE)
    renewal.check()
    assert.deepEqual(used, [TEST_CERTIFICATE], 'and takes the next good one')
  })

  // The look of every hour threw where the directory was closed to the service, which ended it.
  it('survives files that cannot even be looked at', { skip: process.platform === 'win32' }, (t) => {
    const files = filesWith(t, TEST_CERTIFICATE, TEST_KEY)
    const { renewal, entries, used } = begin(files)
    rmSync(files.certFile)
    symlinkSync(files.certFile, files.certFile)
    for (let checks = 0; checks < 2; checks++) renewal.check()
    const kept = entries.map(({ event, fields }) => [event, String(fields['reason'])])
    assert.deepEqual(kept.length, 1, 'told once')
    assert.match(kept.join(), /^certificate\.kept,Cannot read the certificate in ".*cert\.pem": /)
    rmSync(files.certFile)
    writeFileSync(files.certFile, TEST_CERTIFICATE)
    renewal.check()
    assert.deepEqual(used, [TEST_CERTIFICATE])
  })

  it('warns once a day when the end of the certificate is near', (t) => {
    const { renewal, entries, advance } = begin(filesWith(t, TEST_CERTIFICATE, TEST_KEY))
    const warnings = (): number => entries.filter(({ event }) => event === 'certificate.expires').length
    advance(Date.parse('2119-12-10T00:00:00Z') - NOW)
    renewal.check()
    assert.equal(warnings(), 0)
    advance(10 * DAY_MS)
    renewal.check()
    renewal.check()
    assert.equal(warnings(), 1)
    advance(DAY_MS)
    renewal.check()
    assert.equal(warnings(), 2)
  })
})
