/** The settings of a cluster: which can be used, and what each error says. */
import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { ClusterSettingError, parseEndpoints, parseNodeUrl, parsePrefix, readEtcdTarget } from '../../src/cluster/etcd-target.ts'
import type { ClusterSettings } from '../../src/cluster/etcd-target.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { OTHER_KEY, TEST_CERTIFICATE, TEST_KEY } from '../support/service/test-certificate.ts'

const NONE: ClusterSettings = {
  cluster: undefined,
  clusterPrefix: '/dateline/',
  clusterCa: undefined,
  clusterCert: undefined,
  clusterKey: undefined,
  clusterUser: undefined,
  clusterPasswordFile: undefined,
}

function filesIn(t: Cleanup): (name: string, text: string, mode?: number) => string {
  const directory = temporaryDirectory(t)
  return (name, text, mode = 0o600) => {
    const file = join(directory, name)
    writeFileSync(file, text)
    chmodSync(file, mode)
    return file
  }
}

describe('parseEndpoints()', () => {
  it('gives each server its port', () => {
    assert.deepEqual(parseEndpoints('https://e1, https://E2:2380/,https://[::1]:2379'), [
      'https://e1:2379',
      'https://e2:2380',
      'https://[::1]:2379',
    ])
  })

  for (const [list, wanted] of [
    ['', /found none/],
    ['e1:2379', /expected the URL of an etcd server, .* found "e1:2379"/],
    ['ftp://e1', /found "ftp:\/\/e1"/],
    ['ftp://root:secret@e1', /found "ftp:\/\/\*\*\*@e1"/],
    ['https://root:secret@e1', /without user and password/],
    ['https://e1/news', /without a path/],
    ['https://e1,http://e2', /found both/],
    ['https://e1,https://e1:2379', /once, found "https:\/\/e1:2379" twice/],
    [Array.from({ length: 10 }, (_, i) => `http://e${i}`).join(), /at most 9 .* found 10/],
  ] as const) {
    it(`rejects "${list.slice(0, 30)}"`, () => {
      assert.throws(() => parseEndpoints(list), (error: Error) => wanted.test(error.message) && !error.message.includes('secret'))
    })
  }
})

describe('parsePrefix()', () => {
  it('ends in a slash', () => assert.equal(parsePrefix('/dateline/news'), '/dateline/news/'))
  for (const text of ['', '/', 'dateline', '//', '/a//b', '/A', '/../', `/${'a'.repeat(100)}/`]) {
    it(`rejects "${text.slice(0, 20)}"`, () => assert.throws(() => parsePrefix(text), /expected a prefix of keys/))
  }
})

describe('parseNodeUrl()', () => {
  it('takes TLS, and loopback in the clear', () => {
    assert.equal(parseNodeUrl('https://n1.example.org:8080/'), 'https://n1.example.org:8080')
    assert.equal(parseNodeUrl('http://127.0.0.1:8080'), 'http://127.0.0.1:8080')
  })
  for (const text of ['n1:8080', 'http://n1:8080', 'http://127.example.org', 'https://u:p@n1', 'https://n1/a', 'https://n1/?a=1']) {
    it(`rejects "${text}"`, () => assert.throws(() => parseNodeUrl(text), /expected /))
  }
})

describe('readEtcdTarget()', () => {
  it('is undefined for a service that runs alone', () => assert.equal(readEtcdTarget(NONE), undefined))

  it('reads certificate, key and password', (t) => {
    const file = filesIn(t)
    const certFile = file('cert.pem', TEST_CERTIFICATE, 0o644)
    const tls = { clusterCa: certFile, clusterCert: certFile, clusterKey: file('key.pem', TEST_KEY) }
    const login = { clusterUser: 'news', clusterPasswordFile: file('password', 'sesame\n') }
    assert.deepEqual(readEtcdTarget({ ...NONE, cluster: ['https://e1:2379'], ...tls, ...login }), {
      ...{ endpoints: ['https://e1:2379'], prefix: '/dateline/' },
      ...{ ca: TEST_CERTIFICATE, cert: TEST_CERTIFICATE, key: TEST_KEY },
      login: { user: 'news', password: 'sesame' },
    })
  })

  it('says what is wrong, and no password', (t) => {
    const file = filesIn(t)
    const [certFile, keyFile] = [file('cert.pem', TEST_CERTIFICATE), file('key.pem', TEST_KEY)]
    const [otherKey, open, empty] = [file('other.pem', OTHER_KEY), file('open', 'sesame', 0o644), file('empty', '\n')]
    const tls = { cluster: ['https://e1:2379'] }
    const clear = { cluster: ['http://e1:2379'] }
    const cases: readonly (readonly [Partial<ClusterSettings>, RegExp])[] = [
      [{ clusterCa: certFile }, /^Cannot use --cluster-ca without --cluster$/],
      [{ ...clear, clusterCa: certFile }, /^Cannot use --cluster-ca with http:\/\/ in --cluster/],
      [{ ...clear, clusterUser: 'news', clusterPasswordFile: empty }, /the password would be sent in the clear/],
      [{ ...tls, clusterCert: certFile }, /expected both/],
      [{ ...tls, clusterUser: 'news' }, /expected both/],
      [{ ...tls, clusterCa: `${certFile}-none` }, /--cluster-ca: the file ".*none" cannot be read: no such file/],
      [{ ...tls, clusterCa: dirname(certFile) }, /it is a directory/],
      [{ ...tls, clusterCa: keyFile }, /expected a PEM file of certificates/],
      [{ ...tls, clusterCert: certFile, clusterKey: otherKey }, /--cluster-key: expected the unencrypted PEM key/],
      [{ ...tls, clusterUser: 'news', clusterPasswordFile: empty }, /expected a password, found an empty file/],
      ...(process.platform === 'win32'
        ? []
        : [[{ ...tls, clusterUser: 'news', clusterPasswordFile: open }, /mode 0644 lets other users read it: run chmod 600/] as const]),
    ]
    for (const [settings, wanted] of cases) {
      assert.throws(
        () => readEtcdTarget({ ...NONE, ...settings }),
        (error) => error instanceof ClusterSettingError && wanted.test(error.message) && !error.message.includes('sesame'),
        String(wanted),
      )
    }
  })
})
