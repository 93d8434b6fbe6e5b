import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { specialUse } from '../../src/outbound/special-addresses.ts'

/** The first and the last address of each block, and the public ones beside it. */
const SPECIAL: Readonly<Record<string, readonly string[]>> = {
  'an unspecified': ['0.0.0.0', '0.255.255.255', '::'],
  'a loopback': ['127.0.0.0', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'],
  'a private': ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  'a shared': ['100.64.0.0', '100.127.255.255'],
  'a cloud metadata': ['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'],
  'a link-local': ['169.254.0.0', '169.254.255.255', 'fe80::', 'fe80::1%eth0', 'febf:ffff::1', 'fec0::1'],
  'a multicast': ['224.0.0.0', '239.255.255.255', 'ff00::', 'ff02::1'],
  'a broadcast': ['255.255.255.255'],
  'a documentation': ['192.0.2.0', '198.51.100.255', '203.0.113.7', '2001:db8::1', '3fff::1'],
  'a benchmarking': ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  'a reserved': [
    ...['192.0.0.0', '192.0.0.255', '192.88.99.1', '240.0.0.0', '255.255.255.254', '2001:20::1', '2001:1ff::1'],
    ...['100::1', '4000::1', '5f00::1', '::7f00:1', '::ffff:0:7f00:1', '64:ff9b:2::1', 'not an address', ''],
  ],
  'a unique-local': ['fc00::', 'fdff:ffff::1'],
  'a Teredo': ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'a 6to4': ['2002::', '2002:7f00:1::', '2002:808:808::1'],
  'a local NAT64': ['64:ff9b:1::1', '64:ff9b:1:fffe::7f00:1'],
}
const PUBLIC = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0'],
  ...['198.17.255.255', '198.20.0.0', '223.255.255.255', '2000::', '2001:200::1', '2606:4700::1111', '2a00:1450::1', '3ffe::1'],
]

describe('specialUse()', () => {
  for (const [use, addresses] of Object.entries(SPECIAL)) {
    it(`finds ${use} address`, () => {
      assert.deepEqual(addresses.map((address) => [address, specialUse(address)]), addresses.map((address) => [address, use]))
    })
  }

  it('finds none in addresses of public servers', () => {
    assert.deepEqual(PUBLIC.filter((address) => specialUse(address) !== undefined), [])
  })

  it('judges an IPv4 address alike in all forms that carry it', () => {
    const ipv4 = [...Object.values(SPECIAL).flat(), ...PUBLIC].filter((address) => /^[\d.]+$/.test(address))
    assert.ok(ipv4.length > 40)
    for (const address of ipv4) {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
      const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
      for (const form of [`::ffff:${address}`, `::ffff:${hex}`, `0:0:0:0:0:FFFF:${hex}`, `64:ff9b::${address}`, `64:ff9b::${hex}`]) {
        assert.equal(specialUse(form), specialUse(address), form)
      }
    }
  })
})
