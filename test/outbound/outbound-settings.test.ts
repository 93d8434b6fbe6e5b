import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { parseOutboundAllow } from '../../src/outbound/outbound-allow.ts'
import { maskOutboundProxy, parseOutboundProxy } from '../../src/outbound/outbound-proxy.ts'
import { readOutboundRules } from '../../src/outbound/outbound-settings.ts'
import { AUTHORITY, EXPIRED_AUTHORITY } from '../support/smtp/mail-certificates.ts'

const now = (): number => Date.parse('2025-10-20T12:34:56.789Z')
const OPTIONS = { outboundAllow: parseOutboundAllow(''), outboundProxy: 'environment', outboundCa: undefined } as const

describe('parseOutboundAllow()', () => {
  it('reads hosts, addresses and blocks', () => {
    const allow = parseOutboundAllow(' Feeds.Intranet.example, bücher.example., 10.0.0.0/8, 192.168.7.9, [fd00::1], fd12::/16, ::ffff:172.16.0.1')
    const hosts = ['feeds.intranet.example', 'feeds.intranet.example.', 'xn--bcher-kva.example', 'other.feeds.intranet.example', 'intranet.example']
    assert.deepEqual(hosts.map(allow.allowsHost), [true, true, true, false, false])
    const addresses = ['10.1.2.3', '::ffff:a01:203', '192.168.7.9', 'fd00::1', 'fd12::9', '172.16.0.1', '192.168.7.8', 'fd13::1', '127.0.0.1', '::1']
    assert.deepEqual(addresses.map(allow.allowsAddress), [true, true, true, true, true, true, false, false, false, false])
  })

  for (const entry of ['http://a.example', 'a.example:80', 'a b', 'me@a.example', '10.0.0.0/33', '10.0.0.0/', 'fd00::/129', 'a/8', '*.example', '', '10.0.0.0/8/8']) {
    it(entry === '' ? 'allows nothing by an empty list' : `rejects ${JSON.stringify(entry)}`, () => {
      if (entry === '') assert.equal(parseOutboundAllow(entry).allowsHost(''), false)
      else assert.throws(() => parseOutboundAllow(`a.example,${entry}`), { message: /^expected host names, IP addresses and CIDR blocks .* found "/ })
    })
  }
})

describe('parseOutboundProxy()', () => {
  it('reads a URL, or a host with its port', () => {
    assert.deepEqual(parseOutboundProxy('http://proxy.example:3128'), { isTls: false, host: 'proxy.example', port: 3128 })
    assert.deepEqual(parseOutboundProxy('proxy.example:3128'), { isTls: false, host: 'proxy.example', port: 3128 })
    assert.deepEqual(parseOutboundProxy('http://proxy.example/'), { isTls: false, host: 'proxy.example', port: 80 })
    assert.deepEqual(parseOutboundProxy('https://[::1]'), { isTls: true, host: '::1', port: 443 })
    const authorization = `Basic ${Buffer.from('ann:pä:ss').toString('base64')}`
    assert.deepEqual(parseOutboundProxy('http://ann:p%C3%A4%3Ass@p.example'), { isTls: false, host: 'p.example', port: 80, authorization })
  })

  for (const text of ['socks5://ann:hunter2@p.example', 'http://ann:hunter2@p.example/path', 'http://ann:hunter2@', 'ann:hunter2@p:x:y', 'http://ann:hunter2@p.example?x']) {
    it(`rejects ${JSON.stringify(text)} without its password`, () => {
      assert.throws(() => parseOutboundProxy(text), (error: Error) => /^expected the URL of an HTTP proxy/.test(error.message) && !error.message.includes('hunter2'))
    })
  }

  it('is shown without its password', () => {
    assert.equal(maskOutboundProxy('http://ann:hunter2@p.example:3128'), 'http://ann:***@p.example:3128')
    assert.equal(maskOutboundProxy('http://ann:hun@t/er2@p.example'), 'http://ann:***@p.example')
    assert.equal(maskOutboundProxy('http://p.example:3128'), 'http://p.example:3128')
  })
})

describe('the proxy of the environment', () => {
  const hostFor = (environment: Readonly<Record<string, string>>, address: string): string | undefined =>
    readOutboundRules(OPTIONS, { now, environment }).rules.proxyFor(new URL(address))?.host
  const BOTH = { HTTPS_PROXY: 'http://s.example:1', HTTP_PROXY: 'h.example:1' }
  const rows: readonly (readonly [environment: Readonly<Record<string, string>>, address: string, wanted: string | undefined])[] = [
    [{}, 'https://a.example/', undefined],
    [BOTH, 'https://a.example/', 's.example'],
    [BOTH, 'http://a.example/', 'h.example'],
    [{ https_proxy: 'http://l.example', HTTPS_PROXY: '' }, 'https://a.example/', 'l.example'],
    ...['a.example', '.a.example', '*.a.example', 'x, A.Example', '*', 'a.example:443'].map((list) => [{ ...BOTH, NO_PROXY: list }, 'https://b.a.example/', undefined] as const),
    ...['b.example', 'ba.example', 'a.example:80', 'a', '.'].map((list) => [{ ...BOTH, no_proxy: list }, 'https://a.example/', 's.example'] as const),
    [{ ...BOTH, NO_PROXY: '10.0.0.0/8' }, 'http://10.9.9.9/', undefined],
    [{ ...BOTH, NO_PROXY: '10.0.0.0/8' }, 'http://11.9.9.9/', 'h.example'],
    [{ ...BOTH, NO_PROXY: '::1' }, 'http://[::1]/', undefined],
  ]
  for (const [environment, address, wanted] of rows) {
    it(`is ${wanted ?? 'none'} for ${address} with ${JSON.stringify(environment)}`, () => assert.equal(hostFor(environment, address), wanted))
  }

  it('is not asked where a setting names one, or none', () => {
    const choose = (outboundProxy: Parameters<typeof readOutboundRules>[0]['outboundProxy']) =>
      readOutboundRules({ ...OPTIONS, outboundProxy }, { now, environment: BOTH }).rules.proxyFor(new URL('https://a.example'))
    assert.equal(choose('none'), undefined)
    assert.equal(choose(parseOutboundProxy('http://own.example'))?.host, 'own.example')
  })

  it('names the variable that it cannot use, without the password', () => {
    const environment = { http_proxy: 'socks5://ann:hunter2@p.example' }
    assert.throws(() => readOutboundRules(OPTIONS, { now, environment }), {
      name: 'SettingError',
      message: 'Cannot use http_proxy: expected the URL of an HTTP proxy such as http://proxy.example.org:3128, found "socks5://ann:***@p.example"',
    })
  })
})

it('readOutboundRules() reads the file of --outbound-ca', (t) => {
  const path = join(temporaryDirectory(t), 'ca.pem')
  const read = (text: string) => {
    writeFileSync(path, text)
    return readOutboundRules({ ...OPTIONS, outboundCa: path }, { now, environment: {} })
  }
  assert.deepEqual(read(AUTHORITY).rules.ca, [AUTHORITY.trim()])
  assert.match(read(`${AUTHORITY}${EXPIRED_AUTHORITY}`).warnings[0] ?? '', /^--outbound-ca has an invalid certificate: .* expired on/)
  assert.throws(() => read('nothing'), { name: 'SettingError', message: /^Cannot use --outbound-ca .*: expected a file of PEM certificates, found none in it$/ })
})
