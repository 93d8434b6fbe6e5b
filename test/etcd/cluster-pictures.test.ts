/** Pictures on two nodes over a real etcd server: taken in by one, served by both, and only to nodes by the path between them. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { clusterKeysOf } from '../../src/cluster/cluster-keys.ts'
import { readIdentity } from '../../src/cluster/node-identity.ts'
import { signRequest } from '../../src/cluster/node-requests.ts'
import { loadSecrets } from '../../src/store/db/secret-file.ts'
import { startCluster, until } from '../support/cluster/cluster-services.ts'
import { noEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import { samplePicture, type SampleName } from '../../scripts/tools/media/sample-pictures.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import type { TestService } from '../support/service/service.ts'
import { suiteCleanup } from '../../scripts/tools/temporary-directory.ts'

describe('pictures on two nodes', { skip: noEtcd === false ? ONLY_HERE : noEtcd }, () => {
  let [one, two]: TestService[] = []
  let token: string
  const cleanup = suiteCleanup(after)
  before(async () => {
    const cluster = await startCluster(cleanup)
    one = await cluster.first()
    two = await cluster.join(one)
    ;({ token } = await one.admin())
    // The first node learns a moment later that the second one lives, and asks it for files from then on.
    const { hash, path } = await upload(two, 'webp lossless')
    await known(one, hash)
    await until(async () => (await fetch(`${at(one).url}${path}`)).status === 200)
  })
  const at = (node: TestService | undefined): TestService => {
    assert.ok(node !== undefined)
    return node
  }
  const upload = async (node: TestService, name: SampleName): Promise<{ readonly hash: string; readonly path: string }> => {
    const response = await fetch(`${node.url}/api/v1/media`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: new Uint8Array(samplePicture(name)) })
    const { data } = (await response.json()) as { readonly data: { readonly hash: string; readonly url: string } }
    assert.equal(response.status, 201)
    return { hash: data.hash, path: new URL(data.url).pathname }
  }
  const fileOf = (node: TestService, path: string): string => {
    const name = path.split('/').at(-1) ?? ''
    return join(node.directory, 'data', 'media', name.slice(0, 2), name)
  }
  /** The row comes with the log, a moment later. */
  const known = (node: TestService, hash: string): Promise<void> =>
    until(async () => (await node.call('GET', `/api/v1/media/${hash}`, { token })).status === 200)

  it('are served by the node that lacks the file, which has it from then on', async () => {
    const { hash, path } = await upload(at(one), 'gif')
    await known(at(two), hash)
    const [first, second] = await Promise.all([one, two].map(async (node) => Buffer.from(await (await fetch(`${at(node).url}${path}`)).arrayBuffer())))
    assert.ok(first !== undefined && second?.equals(first) === true)
    assert.ok(existsSync(fileOf(at(two), path)))
  })

  it('are asked for once, however many clients want them at the same time', async () => {
    const { hash, path } = await upload(at(two), 'webp animated')
    await known(at(one), hash)
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await fetch(`${at(one).url}${path}`)).status))
    assert.deepEqual([...new Set(statuses)], [200])
    assert.deepEqual(readdirSync(join(fileOf(at(one), path), '..')).length, 1)
  })

  it('are not taken from a node whose file is damaged', async () => {
    const { hash, path } = await upload(at(one), 'png')
    await known(at(two), hash)
    writeFileSync(fileOf(at(one), path), 'other bytes')
    assert.equal((await fetch(`${at(two).url}${path}`)).status, 404)
    assert.equal(existsSync(fileOf(at(two), path)), false)
  })

  it('are gone everywhere when they are deleted at one node', async () => {
    const { hash, path } = await upload(at(one), 'avif')
    await known(at(two), hash)
    await fetch(`${at(two).url}${path}`)
    assert.equal((await at(two).call('DELETE', `/api/v1/admin/media/${hash}`, { token })).status, 204)
    await until(async () => (await fetch(`${at(one).url}${path}`)).status === 404)
    assert.equal((await fetch(`${at(two).url}${path}`)).status, 404)
  })

  it('go to nodes alone by the path between them: not to strangers, users, or for a signature of another path or node', async () => {
    const { path } = await upload(at(one), 'gif animated')
    const name = path.split('/').at(-1) ?? ''
    const identity = (node: TestService): string => readIdentity(join(node.directory, 'data'))?.node ?? ''
    const { sign } = clusterKeysOf(loadSecrets(join(at(one).directory, 'data', 'secrets'), () => Buffer.alloc(0)))
    const get = (target: string, authorization?: string): Promise<Response> => fetch(`${at(one).url}${target}`, { headers: authorization === undefined ? {} : { authorization } })
    const signed = (target: string, to = identity(at(one))): string => signRequest(sign, { method: 'GET', path: target, to }, identity(at(two)), at(one).now())
    const target = `/cluster/media/${name}`
    assert.equal((await get(target)).status, 403)
    assert.equal((await get(target, `Bearer ${token}`)).status, 403)
    assert.equal((await get(target, signed('/cluster/media/other'))).status, 403)
    assert.equal((await get(target, signed(target, identity(at(two))))).status, 403)
    const once = signed(target)
    assert.equal((await get(target, once)).status, 200)
    assert.equal((await get(target, once)).status, 403, 'a signature is good once')
    for (const other of ['..%2f..%2fsecrets', `${'0'.repeat(64)}.png`, 'dateline.db']) {
      assert.equal((await get(`/cluster/media/${other}`, signed(`/cluster/media/${other}`))).status, 404, other)
    }
    // It asks no other node for what it lacks itself.
    rmSync(fileOf(at(one), path))
    assert.equal((await get(target, signed(target))).status, 404)
  })
})
