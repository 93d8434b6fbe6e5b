/** Nodes and etcd over TLS, with one authority: what join() takes, and what it refuses before it sends the token. */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { SYSTEM } from '../../src/store/actor.ts'
import { filePosition } from '../../src/store/cluster/position-table.ts'
import { startEtcd, noEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import { runHere } from '../support/service/in-process.ts'
import { startService } from '../support/service/service.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { AUTHORITY, EXPIRED_AUTHORITY, GOOD_SERVER } from '../support/smtp/mail-certificates.ts'

const skip = noEtcd === false ? ONLY_HERE : noEtcd

it('nodes join and follow over TLS; a peer without a certificate of the authority gets no token', { skip }, async (t) => {
  const { certificate, key } = GOOD_SERVER
  const etcd = await startEtcd(t, { tls: { certificate, key, clientAuthority: AUTHORITY } })
  const files = temporaryDirectory(t)
  const written = (name: string, text: string): string => {
    writeFileSync(join(files, name), text, { mode: 0o600 })
    return join(files, name)
  }
  const clusterCa = written('ca.pem', AUTHORITY)
  const [clusterCert, clusterKey] = [written('cert.pem', certificate), written('key.pem', key)]
  const cluster = etcd.endpoints.join()
  const words = (ca: string, directory: string): readonly string[] => [
    ...['--cluster', cluster, '--cluster-ca', ca, '--cluster-cert', clusterCert, '--cluster-key', clusterKey],
    ...['--data-dir', join(directory, 'data')],
  ]
  const settings = { cluster, clusterCa, clusterCert, clusterKey, tlsCert: clusterCert, tlsKey: clusterKey }
  const [first, second] = [temporaryDirectory(t), temporaryDirectory(t)]
  assert.equal((await runHere(['cluster', 'init', ...words(clusterCa, first)])).code, 0)
  const one = await startService(t, settings, { directory: first, start: Date.now() })
  const { port } = new URL(one.url)
  const token = (await runHere(['cluster', 'token', ...words(clusterCa, first)])).stdout.trim()
  const joinFrom = (from: string) => runHere(['cluster', 'join', '--from', from, '--token', token, ...words(clusterCa, second)])

  for (const [from, wanted] of [
    // The certificate is for localhost.
    [`https://127.0.0.1:${port}`, /does not match certificate's altnames/],
    [`http://127.0.0.1:${port}`, /socket hang up|Parse Error|ECONNRESET/],
    ['http://n1.example.org:8080', /expected https:\/\//],
  ] as const) {
    const { code, stderr } = await joinFrom(from)
    assert.notEqual(code, 0)
    assert.match(stderr, wanted)
    assert.ok(!stderr.includes(token))
  }
  const distrusting = written('other.pem', EXPIRED_AUTHORITY)
  const { stderr } = await runHere(['cluster', 'status', ...words(distrusting, first)])
  assert.match(stderr, /authority that is not trusted: name that with --cluster-ca/)
  assert.ok(!existsSync(join(second, 'data', 'secrets')))

  // The token was not sent: it still works.
  const joined = await joinFrom(`https://localhost:${port}`)
  assert.equal(joined.code, 0, joined.stderr)
  const two = await startService(t, settings, { directory: second, start: Date.now() })
  await one.app.services.accounts.ensureAdmin('second@example.org', Date.now(), SYSTEM)
  // Nodes that have just started write records of their own meanwhile, so the positions may go on.
  const position = (await two.app.services.store.replication?.newest()) ?? 0
  await one.app.services.store.replication?.reached(position)
  assert.equal(one.app.services.store.accounts.userByEmail('second@example.org')?.['dashboardRole'], 'admin')
  assert.ok((filePosition(join(second, 'data', 'dateline.db'))?.position ?? 0) >= position)
})
