/** Who may speak to etcd: users with passwords, tokens that end, certificates of servers and clients. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { EtcdTarget } from '../../src/cluster/etcd-target.ts'
import { checkEtcd } from '../../src/cluster/etcd/etcd-check.ts'
import { EtcdError } from '../../src/cluster/etcd/etcd-error.ts'
import { connectTo } from '../support/cluster/etcd-clients.ts'
import { noEtcd, startEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import { AUTHORITY, EXPIRED_AUTHORITY, EXPIRED_SERVER, GOOD_SERVER, OTHER_SERVER } from '../support/smtp/mail-certificates.ts'

const WRITER = { user: 'dateline', password: 'a password of its own' }

/** Users by etcd's JSON gateway: a root, and one that may write below /site/ only. */
async function enableUsers(url: string): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${url}/v3/auth/${path}`, { method: 'POST', body: JSON.stringify(body) })
    assert.equal(response.status, 200, `${path}: ${await response.text()}`)
  }
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  await post('role/add', { name: 'root' })
  await post('role/add', { name: 'site' })
  await post('role/grant', { name: 'site', perm: { permType: 'READWRITE', key: base64('/site/'), range_end: base64('/site0') } })
  for (const [name, role, password] of [['root', 'root', 'root password'], [WRITER.user, 'site', WRITER.password]] as const) {
    await post('user/add', { name, password })
    await post('user/grant', { user: name, role })
  }
  await post('enable', {})
}

const says = (text: RegExp) => (error: unknown): boolean => {
  assert.ok(error instanceof EtcdError, String(error))
  assert.match(error.message, text)
  assert.equal(error.message.includes(WRITER.password), false)
  assert.equal(error.isSent, false)
  return true
}

describe('users of etcd', { skip: noEtcd }, () => {
  it('sign in, and may write what their role allows', async (t) => {
    const { endpoints } = await startEtcd(t)
    const [url = ''] = endpoints
    await enableUsers(url)
    const writer = connectTo(t, endpoints, { login: WRITER, prefix: '/site/' })
    await checkEtcd(writer)
    const put = (key: string) => writer.transact({ compare: [], success: [{ kind: 'put', put: { key, value: Buffer.from('1') } }] })
    await put('/site/a')
    assert.equal(String((await writer.range({ key: '/site/a' })).pairs[0]?.value), '1')
    const wrong = connectTo(t, endpoints, { login: { ...WRITER, password: 'wrong' } })
    await assert.rejects(wrong.range({ key: '/site/a' }), says(/invalid user ID or password.*compare --cluster-user and --cluster-password-file/))
    await assert.rejects(connectTo(t, endpoints).range({ key: '/site/a' }), says(/etcd wants a user: set --cluster-user/))
    await assert.rejects(writer.defragmentAt(url), /auth: permission denied/)
    await assert.rejects(put('/other/a'), says(/permission denied.*give the role of the user the keys of --cluster-prefix/))
  })
})

describe('certificates of etcd', { skip: noEtcd }, () => {
  const tls = { certificate: GOOD_SERVER.certificate, key: GOOD_SERVER.key }
  const own = { cert: GOOD_SERVER.certificate, key: GOOD_SERVER.key }

  it('are checked, and clients show theirs', async (t) => {
    const { endpoints } = await startEtcd(t, { tls: { ...tls, clientAuthority: AUTHORITY } })
    const target = (settings: Partial<EtcdTarget>) => connectTo(t, endpoints, settings).range({ key: 'x' })
    await target({ ca: AUTHORITY, ...own })
    await assert.rejects(target({}), says(/its certificate is of an authority that is not trusted: name that with --cluster-ca/))
    await assert.rejects(target({ ca: EXPIRED_AUTHORITY, ...own }), says(/authority/))
    // With TLS 1.3 a server refuses a client after the client has begun to send: only then may the call be on its way.
    await assert.rejects(target({ ca: AUTHORITY }), /it wants a certificate of its clients: set --cluster-cert and --cluster-key|broke off \(write |closed the connection/)
    await checkEtcd(connectTo(t, endpoints, { ca: AUTHORITY, ...own }))
  })

  for (const [name, server, text] of [
    ['another name', OTHER_SERVER, /its certificate is for other names than this URL/],
    ['a time that is over', EXPIRED_SERVER, /its certificate has expired: renew it/],
  ] as const) {
    it(`are refused where they are for ${name}`, async (t) => {
      const { endpoints } = await startEtcd(t, { tls: { certificate: server.certificate, key: server.key } })
      await assert.rejects(connectTo(t, endpoints, { ca: AUTHORITY }).range({ key: 'x' }), says(text))
    })
  }

  it('are missing, or wanted: the URL says http and the server https, or the reverse', async (t) => {
    const [plain, secure] = [await startEtcd(t), await startEtcd(t, { tls })]
    const [plainUrl = '', secureUrl = ''] = [...plain.endpoints, ...secure.endpoints]
    await assert.rejects(connectTo(t, [plainUrl.replace('http:', 'https:')]).range({ key: 'x' }), says(/compare http:\/\/ or https:\/\/ in --cluster/))
    await assert.rejects(connectTo(t, [secureUrl.replace('https:', 'http:')]).range({ key: 'x' }), EtcdError)
  })
})
