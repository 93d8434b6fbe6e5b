/** Epochs over a real etcd server: new keys reach the nodes in the order of the log, and destroyed ones open nothing. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFileSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { createEpochs } from '../../src/cluster/log/epochs.ts'
import { createEtcdLog } from '../../src/cluster/log/etcd-log.ts'
import { openKeyRing } from '../../src/cluster/sealing/key-ring.ts'
import { createRecordSealer, epochOf } from '../../src/cluster/sealing/record-sealer.ts'
import { LogUnavailable, NO_ENTRY, RecordUnreadable } from '../../src/store/cluster/commit-log.ts'
import { connectTo } from '../../scripts/tools/cluster/etcd-clients.ts'
import { noEtcd, startEtcd } from '../../scripts/tools/cluster/etcd-server.ts'
import { collect } from '../support/cluster/log-contract.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const SITE = '00112233445566778899aabbccddeeff'
const { endpoints, directory } = noEtcd === false ? await startEtcd({ after }) : { endpoints: [], directory: '' }
let sites = 0

/** Nodes of a site of their own, all with the keys of the first one. */
async function startNodes(t: TestContext, count: number) {
  const prefix = `/epochs-${sites++}/`
  const files = temporaryDirectory(t)
  openKeyRing(join(files, 'keys-0'))
  const nodes = []
  for (let i = 0; i < count; i++) {
    const file = join(files, `keys-${i}`)
    if (i > 0) copyFileSync(join(files, 'keys-0'), file)
    nodes.push(startNode(t, { prefix, file, node: `${i}`.repeat(16) }))
  }
  for (const { epochs } of nodes) await epochs.start()
  return nodes
}

function startNode(t: TestContext, { prefix, file, node }: { prefix: string; file: string; node: string }) {
  const recording = recordingLog()
  const etcd = connectTo(t, endpoints)
  const ring = openKeyRing(file)
  const nodeKeyFile = `${file}-node`
  const epochs = createEpochs({ etcd, prefix, node, site: SITE, ring, nodeKeyFile, now: () => 1_700_000_000_000, log: recording.log })
  const log = createEtcdLog({ etcd, prefix, node, log: recording.log, epochs })
  const sealer = createRecordSealer({ ring, site: SITE })
  const seal = (text: string): Uint8Array =>
    sealer.seal({ schema: 1, node, id: randomBytes(16).toString('hex'), previous: NO_ENTRY, changeset: Buffer.from(text) })
  t.after(() => log.close())
  return {
    etcd, node, ring, epochs, log, sealer, seal, recording, prefix, nodeKeyFile,
    reader: collect(log, 0),
    async write(after: number, text: string): Promise<number> {
      const outcome = await log.append(after, seal(text))
      assert.equal(outcome.kind, 'appended')
      return outcome.kind === 'appended' ? outcome.position : 0
    },
  }
}

type Node = ReturnType<typeof startNode>

function textOf(node: Node, body: Uint8Array | undefined): string {
  return Buffer.from(node.sealer.open(body ?? Buffer.alloc(0)).changeset).toString()
}

/** Which of the texts are in a file of etcd. */
function foundInFiles(...texts: readonly string[]): readonly string[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const contents = files.map((entry) => readFileSync(join(entry.parentPath, entry.name)))
  return texts.filter((text) => contents.some((content) => content.includes(text)))
}

describe('epochs of the log', { skip: noEtcd }, () => {
  it('begin at all nodes ahead of the first entry that is sealed with their key', async (t) => {
    const [first, second] = (await startNodes(t, 2)) as [Node, Node]
    const one = await first.write(0, 'one')
    assert.equal(await first.epochs.rotate(), true)
    // The second node may not know of the epoch yet: its entry is lost, and the next one is sealed with the new key.
    let outcome = await second.log.append(one, second.seal('two'))
    while (outcome.kind === 'lost') outcome = await second.log.append(one, second.seal('two'))
    const [, entry] = await first.reader.raw(2)
    assert.equal(epochOf(entry?.body ?? Buffer.alloc(0)), 2)
    assert.equal(textOf(first, entry?.body), 'two')
    assert.deepEqual(first.ring.keyOf(2), second.ring.keyOf(2))
    assert.equal(first.ring.beganAt(2), second.ring.beganAt(2))
    // The time lasts beyond the process, so that a keeper which starts every day begins epochs all the same.
    await second.epochs.start()
    assert.equal(second.epochs.begunAt(), 1_700_000_000_000)
  })

  it('take no entry of an epoch that is over', async (t) => {
    const [node] = (await startNodes(t, 1)) as [Node]
    const old = node.seal('old')
    await node.epochs.rotate()
    assert.deepEqual(await node.log.append(0, old), { kind: 'lost' })
  })

  it('begin once where two nodes begin one at the same time', async (t) => {
    const nodes = await startNodes(t, 2)
    const begun = await Promise.all(nodes.map(({ epochs }) => epochs.rotate()))
    assert.deepEqual(begun.sort(), [false, true])
    for (const { recording } of nodes) await recording.logged('cluster.epoch_began')
    assert.deepEqual(nodes[0]?.ring.keyOf(2), nodes[1]?.ring.keyOf(2))
  })

  it('reach a node that was away', async (t) => {
    const [first, second] = (await startNodes(t, 2)) as [Node, Node]
    await second.log.close()
    for (let epoch = 2; epoch <= 4; epoch++) {
      await first.epochs.rotate()
      while (first.ring.newest < epoch) await new Promise((resolve) => void setImmediate(resolve))
    }
    await second.epochs.start()
    assert.deepEqual(second.ring.keyOf(4), first.ring.keyOf(4))
  })

  it('do not reach a node that was removed, which says so', async (t) => {
    const [first, second] = (await startNodes(t, 2)) as [Node, Node]
    await first.epochs.remove(second.node)
    await first.epochs.rotate()
    await first.recording.logged('cluster.epoch_began')
    await assert.rejects(second.epochs.start(), /was not given its key: join the cluster again/)
    await assert.rejects(second.log.append(0, second.seal('x')), (error) => error instanceof LogUnavailable && !error.sent)
    await first.write(0, 'secret')
    const [entry] = await second.reader.raw(1)
    assert.throws(() => textOf(second, entry?.body), (error) => error instanceof RecordUnreadable && error.reason === 'unknown-key')
  })

  it('do not reach a stranger who can write to etcd', async (t) => {
    const [first, stranger] = (await startNodes(t, 2)) as [Node, Node]
    const members = `${first.prefix}log/epoch/members/`
    const { pairs } = await first.etcd.range({ key: `${members}${stranger.node}` })
    // He publishes his key under another name, and with the proof of a node.
    for (const name of ['2'.repeat(16), first.node.replace('0', '3')]) {
      const value = pairs[0]?.value ?? Buffer.alloc(0)
      await first.etcd.transact({ compare: [], success: [{ kind: 'put', put: { key: `${members}${name}`, value } }] })
    }
    await first.epochs.rotate()
    const keys = await first.etcd.range({ key: `${first.prefix}log/epoch/keys/`, end: `${first.prefix}log/epoch/keys0` })
    assert.deepEqual(keys.pairs.map(({ key }) => key.toString().split('/').at(-1)), [first.node, stranger.node])
  })

  it('erase: the text is in no file of etcd, and nothing opens its entry once the key is destroyed', async (t) => {
    const nodes = (await startNodes(t, 2)) as [Node, Node]
    const [first, second] = nodes
    const ids = nodes.map(({ node }) => node)
    const marker = `marker-${randomBytes(8).toString('hex')}`
    const written = await first.write(0, `${marker} of a reader`)
    const [entry] = await second.reader.raw(1)
    assert.match(textOf(second, entry?.body), new RegExp(marker))
    // The key of the log is there in the clear: these are the files that have the entry.
    assert.deepEqual(foundInFiles(marker, `${first.prefix}log`), [`${first.prefix}log`])
    const oldKey = Buffer.from(first.ring.keyOf(1) ?? '')
    await first.epochs.rotate()
    for (const { recording } of nodes) await recording.logged('cluster.epoch_began')
    // An entry of the old epoch is still in the log.
    assert.equal(await first.epochs.destroyBefore(written, ids), 0)
    const next = await first.write(written, 'the account is gone')
    await first.log.trim(next)
    // Not before each node has published that it has the new key.
    assert.equal(await first.epochs.destroyBefore(next, [...ids, 'f'.repeat(16)]), 0)
    while ((await first.epochs.destroyBefore(next, ids)) === 0) await new Promise((resolve) => void setImmediate(resolve))
    while (second.ring.destroyed === 0) await new Promise((resolve) => void setImmediate(resolve))
    for (const node of nodes) {
      assert.throws(() => textOf(node, entry?.body), (error) => error instanceof RecordUnreadable && error.reason === 'destroyed')
      assert.equal(textOf(node, (await node.reader.raw(2))[1]?.body), 'the account is gone')
    }
    assert.equal(foundInFiles(marker, oldKey.toString('base64'), oldKey.toString('base64url'), oldKey.toString('hex')).length, 0)
  })
})
