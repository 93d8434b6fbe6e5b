/**
 * Attacks by addresses: a feed, or a server that redirects, names what only this machine or its network may reach. The
 * address is checked when it is connected to, at every redirect, in every way to write it.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { misbehavingServer, respondWith } from '../support/outbound/misbehaving-server.ts'
import { parseOutboundProxy } from '../../src/outbound/outbound-proxy.ts'
import { attempt } from '../support/outbound/outbound-requests.ts'

const REFUSED = /^refused: .* address, which the service does not connect to: name the host in --outbound-allow if it may$/

describe('an address of this machine', () => {
  const spellings = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '017700000001', '0x7f.1', '127.0.0.1.', '①②⑦.0.0.1', '%31%32%37.0.0.1'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[2002:7f00:1::]', '[::1]', '[::]', '0', '0.0.0.0'],
    ...['localhost', 'LOCALHOST.', 'x.localhost'],
  ]
  for (const host of spellings) {
    it(`is refused as ${host}, with and without a proxy`, async (t) => {
      const server = await misbehavingServer(t, respondWith(200))
      const names = { localhost: [['127.0.0.1']], 'localhost.': [['::1']], 'x.localhost': [['127.0.0.1', '::1']] }
      const address = `http://${host}:${server.port}/`
      assert.match(String(await attempt({ allow: '', names }, address)), REFUSED)
      assert.match(String(await attempt({ allow: '', names, proxy: parseOutboundProxy(`http://127.0.0.1:${server.port}`) }, address)), REFUSED)
      assert.equal(server.open.all, 0)
    })
  }

  it('is connected to where --outbound-allow names the host, its address or its block', async (t) => {
    const { port } = await misbehavingServer(t, respondWith(200, {}, 'here'))
    for (const allow of ['intranet.example', '127.0.0.1', '127.0.0.0/8']) {
      const arrival = await attempt({ allow }, `http://intranet.example:${port}/`)
      assert.equal(typeof arrival === 'string' ? arrival : arrival.body?.toString(), 'here')
    }
    assert.match(String(await attempt({ allow: 'other.example,10.0.0.0/8' }, `http://intranet.example:${port}/`)), REFUSED)
  })

  it('does not show where a name of the network leads', async () => {
    const found = await attempt({ allow: '', names: { 'db.intranet': [['10.1.2.3']] } }, 'http://db.intranet/')
    assert.equal(found, 'refused: "db.intranet" leads to a private address, which the service does not connect to: name the host in --outbound-allow if it may')
  })
})

describe('a name', () => {
  it('that changes its mind between check and connection (DNS rebinding) is looked up once', async (t) => {
    const server = await misbehavingServer(t, respondWith(200, {}, 'public'))
    const names = { 'rebound.example': [['127.0.0.2'], ['127.0.0.1']] }
    // 127.0.0.2 stands for the public server: alone it is allowed, and nothing listens there.
    const found = await attempt({ allow: '127.0.0.2', names, limits: { totalMs: 5_000 } }, `http://rebound.example:${server.port}/`)
    assert.match(String(found), /^connect: "rebound\.example" refused the connection/)
    assert.equal(server.open.all, 0)
  })

  it('that changes its mind between two fetches is refused at the second', async (t) => {
    const { port } = await misbehavingServer(t, (socket) => respondWith(302, { location: `http://rebound.example:${port}/again` })(socket, ''))
    const names = { 'rebound.example': [['127.0.0.1'], ['127.0.0.9']] }
    assert.match(String(await attempt({ allow: '127.0.0.1', names }, `http://rebound.example:${port}/`)), REFUSED)
  })

  it('of which some addresses are refused is connected to at the others only', async (t) => {
    const server = await misbehavingServer(t, respondWith(200, {}, 'public'))
    const names = { 'mixed.example': [['10.0.0.1', '::1', '169.254.169.254', '127.0.0.1']] }
    const arrival = await attempt({ allow: '127.0.0.1', names }, `http://mixed.example:${server.port}/`)
    assert.equal(typeof arrival === 'string' ? arrival : arrival.status, 200)
  })

  it('is tried at its next address where the first does not answer', async (t) => {
    const { port } = await misbehavingServer(t, respondWith(200, {}, 'second'))
    const arrival = await attempt({ names: { 'two.example': [['127.0.0.3', '127.0.0.1']] } }, `http://two.example:${port}/`)
    assert.equal(typeof arrival === 'string' ? arrival : arrival.body?.toString(), 'second')
  })

  it('without an address is reported', async () => {
    const found = await attempt({ names: { 'gone.example': [[]] } }, 'http://gone.example/')
    assert.equal(found, 'dns: DNS has no entry for "gone.example": check the address')
  })
})

describe('a redirect', () => {
  for (const target of ['http://127.0.0.1:PORT/', '//2130706433:PORT/', 'http://[::ffff:127.0.0.1]:PORT/', 'http://169.254.169.254/latest/meta-data/', 'http://inside.example:PORT/']) {
    it(`to ${target} is refused where only the first host is allowed`, async (t) => {
      const server = await misbehavingServer(t, (socket, head) => {
        const location = target.replace('PORT', String(server.port))
        respondWith(head.startsWith('GET /feed') ? 302 : 200, { location })(socket, head)
      })
      const found = await attempt({ allow: 'outside.example' }, `http://outside.example:${server.port}/feed`)
      assert.match(String(found), REFUSED)
      assert.equal(server.heads.length, 1)
    })
  }

  for (const location of ['file:///etc/passwd', 'data:text/xml,<rss/>', 'javascript:alert(1)', 'gopher://x/', 'unix:/run/docker.sock', '', 'http://', 'http://[', `/${'x'.repeat(3_000)}`]) {
    it(`to ${JSON.stringify(location.slice(0, 30))} leads nowhere`, async (t) => {
      const { port } = await misbehavingServer(t, respondWith(301, { location }))
      const found = await attempt({}, `http://a.example:${port}/`)
      assert.match(String(found), /^redirect: The server responded with 301 and no address of http:\/\/ or https:\/\/ to go on to/)
    })
  }
})

for (const address of ['file:///etc/passwd', 'ftp://a.example/', 'data:text/xml,<rss/>', 'not a URL', '', 'http://', `http://a.example/${'x'.repeat(2_000)}`]) {
  it(`the address ${JSON.stringify(address.slice(0, 30))} is no feed's`, async () => {
    assert.equal(await attempt({}, address), 'address: The address is no http:// or https:// URL of at most 2000 characters: correct it')
  })
}
