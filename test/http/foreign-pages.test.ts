/**
 * A foreign page, open in a browser on the machine of a service that listens on a loopback address.
 *
 * Its name can be made to mean 127.0.0.1 after it was loaded (DNS rebinding): the browser then takes the service for a
 * part of the page, and only the Host that it sends tells. And a page can send what a form can without being asked.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { foreignPageGuard, parseHosts } from '../../src/http/foreign-pages.ts'
import { ok } from '../../src/http/exchange.ts'
import type { Route } from '../../src/http/router.ts'
import { send, sendRaw } from '../support/service/http-client.ts'
import { startServer } from '../support/service/http-server.ts'

const RULES = {
  isLoopback: true,
  boundName: 'mybox.lan',
  allowedHosts: ['news.example.org'],
  isAllowedOrigin: (origin: string) => origin === 'https://app.example.org',
}

describe('the Host of a request', () => {
  const guard = foreignPageGuard(RULES)
  for (const host of [
    'localhost',
    'LocalHost:8080',
    '127.0.0.1',
    '127.0.0.1:41237',
    '127.8.9.10:80',
    '[::1]:8080',
    '[::1]',
    'mybox.lan:8080',
    'news.example.org',
    'News.Example.ORG:443',
  ]) {
    it(`may be ${host}`, () => guard({ method: 'GET', url: '/', headers: { host } }))
  }

  for (const host of [
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    'news.example.org.evil.example',
    'evil.example/news.example.org',
    'localhost@evil.example',
    'localhost:80@evil.example',
    'user@localhost',
    'localhost:8080:8080',
    'localhost:65536',
    'localhost:',
    'localhost, evil.example',
    'evil.example localhost',
    '[::1].evil.example',
    '[::1',
    '::1',
    '128.0.0.1',
    '0127.0.0.1',
    '127.1',
    '192.0.2.1',
    '0.0.0.0',
    '',
    ' ',
  ]) {
    it(`may not be ${JSON.stringify(host)}`, () => {
      assert.throws(() => guard({ method: 'GET', url: '/', headers: { host } }), {
        code: 'misdirectedRequest',
        message: /^Cannot serve the host ".*": expected localhost, .* --allowed-hosts$/,
      })
    })
  }

  it('is checked for each request', () => {
    for (const host of ['localhost', 'evil.example', 'localhost', 'evil.example']) {
      const check = (): void => guard({ method: 'GET', headers: { host } })
      if (host === 'localhost') check()
      else assert.throws(check)
    }
  })

  it('may be missing in HTTP/1.0', () => guard({ method: 'GET', url: '/', headers: {} }))

  it('is anything where other machines reach us by names we do not know, unless the names are listed', () => {
    const reachable = { ...RULES, isLoopback: false }
    foreignPageGuard({ ...reachable, allowedHosts: [] })({ method: 'GET', headers: { host: 'evil.example' } })
    assert.throws(() => foreignPageGuard(reachable)({ method: 'GET', headers: { host: 'evil.example' } }))
  })

  it('may be a name of another setting, such as the public URL, which alone makes no other name foreign', () => {
    const isOwnHost = (name: string): boolean => name === 'n1.example.org'
    const host = 'n1.example.org:8080'
    for (const isLoopback of [true, false]) foreignPageGuard({ ...RULES, isLoopback, isOwnHost })({ method: 'POST', headers: { host } })
    assert.throws(() => foreignPageGuard({ ...RULES, isOwnHost })({ method: 'GET', headers: { host: 'n2.example.org' } }), /expected localhost/)
    const reachable = { ...RULES, isLoopback: false, allowedHosts: [], isOwnHost }
    foreignPageGuard(reachable)({ method: 'GET', headers: { host: 'readers.example' } })
  })
})

describe('a request that changes something', () => {
  const guard = foreignPageGuard(RULES)
  const from = (origin: string, more = {}): void => {
    guard({ method: 'POST', url: '/', headers: { host: 'news.example.org:8443', origin, ...more } })
  }
  const refusal = { code: 'forbidden', message: /--cors-origins/ }

  it('may come from an origin that may read, from a page of ours, and from no page', () => {
    from('https://app.example.org')
    from('https://news.example.org:8443')
    from('http://news.example.org:8443')
    guard({ method: 'DELETE', headers: { host: 'localhost' } })
  })

  it('may come from a page of ours through a proxy that changes the Host, when the browser says so', () => {
    from('https://public.example', { 'sec-fetch-site': 'same-origin' })
    for (const site of ['same-site', 'cross-site', 'none']) {
      assert.throws(() => from('https://public.example', { 'sec-fetch-site': site }), refusal)
    }
  })

  for (const origin of [
    'https://evil.example',
    'null',
    '',
    'http://localhost:1',
    'https://news.example.org',
    'https://news.example.org:8443/',
    'https://news.example.org:8443.evil.example',
    'ftp://news.example.org:8443',
  ]) {
    it(`may not come from ${JSON.stringify(origin)}`, () => assert.throws(() => from(origin), refusal))
  }

  it('is any method but GET, HEAD and OPTIONS', () => {
    const headers = { host: 'localhost', origin: 'https://evil.example' }
    for (const method of ['GET', 'HEAD', 'OPTIONS']) guard({ method, headers })
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
      assert.throws(() => guard({ method, headers }), refusal)
    }
  })
})

describe('the server on a loopback address', () => {
  const seen: string[] = []
  const routes: readonly Route[] = [
    { method: 'GET', path: '/', handler: () => ok('{}') },
    {
      method: 'POST',
      path: '/guests',
      handler: (x) => {
        seen.push(x.requestId)
        return ok('{}')
      },
    },
  ]

  it('responds to a rebound name with 421, also to a preflight and an unknown path', async () => {
    await using server = await startServer(routes)
    for (const [method, path] of [['GET', '/'], ['OPTIONS', '/'], ['GET', '/nowhere']] as const) {
      const { status, text } = await send(server.port, path, { method, headers: { Host: 'evil.example' } })
      assert.equal(status, 421)
      assert.match(text, /"code":"misdirectedRequest"/)
    }
  })

  it('takes the host of an absolute target, whatever Host says, and refuses two of them', async () => {
    await using server = await startServer(routes)
    const rows: [target: string, hosts: string, status: number][] = [
      ['http://localhost/', 'Host: localhost', 200],
      ['http://evil.example/', 'Host: localhost', 421],
      ['http://localhost@evil.example/', 'Host: localhost', 421],
      ['HTTP://evil.example', 'Host: localhost', 421],
      ['http://localhost/', 'Host: evil.example', 421],
      ['/', 'Host: localhost\r\nHost: evil.example', 400],
      ['/', 'Host: user@localhost', 421],
      ['/', 'Host:', 421],
    ]
    for (const [target, hosts, status] of rows) {
      const response = await sendRaw(server.port, `GET ${target} HTTP/1.1\r\n${hosts}\r\n\r\n`)
      assert.equal(response.status, status, `${target} ${hosts}`)
    }
  })

  it('does not act on a form or a text that a foreign page sends without asking', async () => {
    await using server = await startServer(routes)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const { status, text } = await send(server.port, '/guests', {
        method: 'POST',
        headers: { Origin: 'https://evil.example', 'Content-Type': type },
        body: '{}',
      })
      assert.equal(status, 403)
      assert.match(text, /"code":"forbidden"/)
    }
    assert.deepEqual(seen, [])
    const own = await send(server.port, '/guests', { method: 'POST', headers: { Origin: 'http://localhost:3000' } })
    assert.equal(own.status, 200)
  })
})

describe('parseHosts()', () => {
  it('reads a comma list', () => {
    assert.deepEqual(parseHosts(' News.example.org, [2001:db8::1] ,192.0.2.1,'), [
      'news.example.org',
      '[2001:db8::1]',
      '192.0.2.1',
    ])
  })

  for (const bad of ['news.example.org:8080', 'https://news.example.org', '*', '*.example.org', 'a b', 'user@host']) {
    it(`rejects ${bad}`, () => {
      const message = `expected a host name such as .*, found "${RegExp.escape(bad)}"$`
      assert.throws(() => parseHosts(bad), new RegExp(message))
    })
  }
})
