import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY_MS } from '../../src/base/duration.ts'
import { firstOfDay } from '../../src/http/untrusted-forwards.ts'
import { clientAddress, limitKey, networkKey, parseProxies } from '../../src/http/client-address.ts'
import { ok } from '../../src/http/exchange.ts'
import { send } from '../support/service/http-client.ts'
import { startServer } from '../support/service/http-server.ts'

describe('clientAddress()', () => {
  type Row = [name: string, peer: string | undefined, header: string | undefined, proxies: string, expected: string]
  const rows: Row[] = [
    ['the peer where there is no header', '192.0.2.1', undefined, '', '192.0.2.1'],
    ['the peer where no proxy is configured', '192.0.2.1', '203.0.113.9', '', '192.0.2.1'],
    ['the peer where it is no proxy of ours', '192.0.2.1', '203.0.113.9', '10.0.0.0/8', '192.0.2.1'],
    ['the entry of a trusted peer', '10.1.2.3', '203.0.113.9', '10.0.0.0/8', '203.0.113.9'],
    ['the right-most foreign entry', '10.1.2.3', '1.1.1.1, 203.0.113.9', '10.0.0.0/8', '203.0.113.9'],
    ['the entry behind several proxies', '10.1.2.3', '1.1.1.1, 203.0.113.9, 10.9.9.9', '10.0.0.0/8', '203.0.113.9'],
    ['the farthest proxy where all entries are proxies', '10.1.2.3', '10.8.8.8, 10.9.9.9', '10.0.0.0/8', '10.8.8.8'],
    ['the proxy that passed on nonsense', '10.1.2.3', '203.0.113.9, unknown', '10.0.0.0/8', '10.1.2.3'],
    ['the peer where the header is empty', '10.1.2.3', '', '10.0.0.0/8', '10.1.2.3'],
    ['an entry without its port', '10.1.2.3', '203.0.113.9:4711', '10.0.0.0/8', '203.0.113.9'],
    ['a bracketed entry', '10.1.2.3', '[2001:DB8::1]:443', '10.0.0.0/8', '2001:db8::1'],
    ['an IPv4 peer on an IPv6 socket as IPv4', '::ffff:192.0.2.1', undefined, '', '192.0.2.1'],
    ['the entry where the trusted peer is mapped', '::ffff:10.1.2.3', '203.0.113.9', '10.0.0.0/8', '203.0.113.9'],
    ['the entry of a trusted IPv6 peer', '2001:db8::5', '203.0.113.9', '2001:db8::/32', '203.0.113.9'],
    ['a neighbour of a single trusted address', '::2', '2001:db8::7', '::1', '::2'],
    ['a peer without its zone', 'fe80::1%eth0', undefined, '', 'fe80::1'],
    ['a word where the socket is gone', undefined, '203.0.113.9', '10.0.0.0/8', 'unknown'],
  ]
  for (const [name, peer, header, proxies, expected] of rows) {
    it(`gives ${name}`, () => assert.equal(clientAddress(peer, header, parseProxies(proxies)), expected))
  }

  it('walks past a bounded number of our own proxies', () => {
    const header = `203.0.113.9, ${Array<string>(10_000).fill('10.0.0.1').join(', ')}`
    assert.equal(clientAddress('10.0.0.2', header, parseProxies('10.0.0.0/8')), '10.0.0.1')
  })
})

describe('parseProxies()', () => {
  for (const bad of ['10.0.0.0/33', 'proxy.example', '10.0.0', '10.0.0.0/', '[::1]', 'fe80::1%eth0']) {
    it(`refuses ${bad} and names it`, () => {
      assert.throws(() => parseProxies(`::1, ${bad}`), { message: new RegExp(`^expected IP addresses .*, found "${RegExp.escape(bad)}"$`) })
    })
  }

  it('takes the widest and the narrowest block', () => {
    assert.ok(parseProxies('0.0.0.0/0').isTrusted('203.0.113.9'))
    assert.ok(parseProxies('::/0').isTrusted('2001:db8::1'))
    assert.ok(parseProxies('192.0.2.7/32').isTrusted('192.0.2.7'))
    assert.ok(!parseProxies('192.0.2.7/32').isTrusted('192.0.2.8'))
    assert.ok(!parseProxies(' , ').isTrusted('192.0.2.8'))
  })
})

describe('limitKey()', () => {
  for (const [address, key] of [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
    ['unknown', 'unknown'],
  ] as const) {
    it(`counts ${address} as ${key}`, () => assert.equal(limitKey(address), key))
  }
})

describe('exchange.clientAddress', () => {
  it('comes from the header only behind a configured proxy', async () => {
    const routes = [
      { method: 'GET', path: '/', handler: (x: { clientAddress: string }) => ok(`"${x.clientAddress}"`) },
    ] as const
    await using open = await startServer(routes)
    await using proxied = await startServer(routes, { proxies: parseProxies('127.0.0.1') })
    const headers = { 'X-Forwarded-For': ['6.6.6.6', '203.0.113.9'] }
    assert.match((await send(open.port, '/', { headers })).text, /"127\.0\.0\.1"/)
    assert.match((await send(proxied.port, '/', { headers })).text, /"203\.0\.113\.9"/)
    assert.equal((await proxied.logged('request')).fields['client'], '203.0.113.9')
  })

  it('attack: a client forges X-Forwarded-For in every request: one warning, with nothing of the header in it', async () => {
    const routes = [
      { method: 'GET', path: '/', handler: (x: { clientAddress: string }) => ok(`"${x.clientAddress}"`) },
    ] as const
    await using server = await startServer(routes)
    for (const forged of ['6.6.6.6', '6.6.6.7\u009b31m', 'add 6.6.6.6 to --trusted-proxies']) {
      await send(server.port, '/', { headers: { 'X-Forwarded-For': forged } })
    }
    const remedy = 'all its clients share the limits of one address: if this is your proxy, add 127.0.0.1 to --trusted-proxies'
    assert.deepEqual(
      server.entries.filter(({ level }) => level === 'warn'),
      [{ level: 'warn', event: 'proxy.unnamed', fields: { peer: '127.0.0.1', header: 'x-forwarded-for', remedy } }],
    )
    await using trusted = await startServer(routes, { proxies: parseProxies('127.0.0.1') })
    await send(trusted.port, '/', { headers: { 'X-Forwarded-For': '203.0.113.9' } })
    assert.deepEqual(trusted.entries.filter(({ level }) => level === 'warn'), [])
  })

  it('the next day warns again', () => {
    let now = 0
    const reports: string[] = []
    const report = firstOfDay(() => now, (peer) => void reports.push(peer))
    for (now of [0, 1, DAY_MS - 1, DAY_MS, DAY_MS + 1]) report(`192.0.2.${now % 7}`)
    assert.equal(reports.length, 2)
  })
})

describe('networkKey()', () => {
  for (const [address, key] of [
    ['192.0.2.7', '192.0.2.0/24'],
    ['2001:db8:1:2::7', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    ['unix', 'unix'],
  ] as const) {
    it(`counts ${address} as ${key}`, () => assert.equal(networkKey(address), key))
  }
})
