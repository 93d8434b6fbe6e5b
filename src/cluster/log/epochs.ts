/**
 * Epochs of the log in etcd: a new key is wrapped for each node, and all nodes learn of it in the order of the log,
 * ahead of the first entry that is sealed with it. Below `PREFIXlog/`:
 *
 *     epoch                  number of the newest epoch, and when it began; missing in the first one
 *     epoch/keys/N/NODE      the key of epoch N, wrapped for a node
 *     epoch/members/NODE     the public key of a node
 *     epoch/destroyed        epochs up to this one are destroyed
 *
 * Each append compares the revision of `epoch` with the one in which the epoch of its entry began, so that behind that
 * revision there is no entry of an earlier epoch. When the log is trimmed past it, and every node has the new key, the
 * old one is of no use, and is destroyed.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { LogUnavailable } from '../../store/cluster/commit-log.ts'
import type { Etcd } from '../etcd/etcd-client.ts'
import { EtcdError } from '../etcd/etcd-error.ts'
import { createEtcdKeys, type EtcdKeys } from '../etcd/etcd-keys.ts'
import { keysBelow, type Comparison, type KeyValue, type Operation, type WatchEvent } from '../etcd/etcd-messages.ts'
import { DataDirError } from '../../store/db/data-dir.ts'
import type { KeyRing } from '../sealing/key-ring.ts'
import {
  membershipText,
  openNodeKey,
  readMembership,
  unwrapKey,
  wrapKey,
  type Membership,
} from '../sealing/key-wrap.ts'
import { epochOf } from '../sealing/record-sealer.ts'

const KEY_BYTES = 32
const RETRY_MS = 2_000
/** etcd takes 128 operations in a transaction. */
const DESTROYED_AT_ONCE_MAX = 100

export interface EpochsOptions {
  readonly etcd: Etcd
  readonly prefix: string
  readonly node: string
  readonly site: string
  readonly ring: KeyRing
  /** The file with the private key of this node. */
  readonly nodeKeyFile: string
  readonly now: Clock
  readonly log: Log
}

export function createEpochs({ etcd, prefix, node, site, ring, nodeKeyFile, now, log }: EpochsOptions) {
  const root = `${prefix}log/epoch`
  const [keysRoot, destroyedKey] = [`${root}/keys/`, `${root}/destroyed`]
  const own = openNodeKey(nodeKeyFile)
  const memberKeys = createEtcdKeys({ etcd, prefix: `${root}/members/` })
  const members = createMembers({ keys: memberKeys, node, site, ring, publicKey: own.public })
  /** The newest epoch of the log, whether or not this node has its key. */
  let announced = ring.newest
  let begunAt = 0

  /** Takes a key below `epoch/`; true where it was a new key for this node. */
  function take({ key, value, modRevision }: KeyValue): boolean {
    const name = key.toString()
    if (name === root) {
      const found = epochOfValue(value)
      announced = Math.max(announced, found.epoch)
      begunAt = found.begunAt
    }
    // No proof is wanted: an attacker who can write to etcd can delete the log as well.
    if (name === destroyedKey) ring.destroyThrough(Number(value.toString()) || 0)
    const wrapName = name.startsWith(keysRoot) ? name.slice(keysRoot.length) : ''
    const [, number = '', receiver] = /^(\d{1,10})\/([0-9a-f]+)$/.exec(wrapName) ?? []
    const epoch = Number(number)
    const salt = ring.keyOf(epoch - 1)
    if (receiver !== node || epoch <= ring.newest || salt === undefined) return false
    const unwrapped = unwrapKey(value, own, { site, node, epoch, salt })
    if (unwrapped === undefined) {
      log.warn('cluster.key_rejected', { epoch })
      return false
    }
    ring.add({ epoch, key: unwrapped, began: modRevision })
    log.info('cluster.epoch_began', { epoch })
    return true
  }

  async function catchUp(): Promise<void> {
    const { pairs } = await etcd.range(keysBelow(root))
    for (const pair of [...pairs].sort((a, b) => a.modRevision - b.modRevision)) take(pair)
    if (ring.keyOf(announced) === undefined) throw new DataDirError(`Cannot read the log: ${NOT_GIVEN}`)
    await members.announce()
  }
  /** Until etcd is there, or this node has closed its connection. */
  async function catchUpLater(): Promise<void> {
    for (;;) {
      await pause(RETRY_MS, undefined, { ref: false })
      try {
        return await catchUp()
      } catch (error) {
        if (error instanceof EtcdError && error.code !== 'cancelled') continue
        if (error instanceof DataDirError) log.error('cluster.key_missing', { reason: error.message })
        return
      }
    }
  }

  return {
    /** Whether an epoch began whose key this node was not given. */
    isKeyMissing: (): boolean => ring.keyOf(announced) === undefined,
    /**
     * Takes the keys that came while this node was away, and publishes its own. Rejects with DataDirError where the
     * node was not given a key and has to join again, and with an EtcdError, after which it goes on trying by itself.
     */
    async start(): Promise<void> {
      try {
        await catchUp()
      } catch (error) {
        if (error instanceof EtcdError) void catchUpLater()
        throw error
      }
    },
    /** When the newest epoch began, by the clock of the node that began it; 0 for the first one. */
    begunAt: (): number => begunAt,
    /** A change of the watched keys, in the order of the log. */
    changed({ kind, pair }: WatchEvent): void {
      if (kind !== 'put' || !take(pair)) return
      members.announce().catch((error: unknown) => log.warn('cluster.announcement_failed', { reason: String(error) }))
    },
    /**
     * What must hold for an entry to be appended. Throws LogUnavailable where this node has not the key of its epoch.
     */
    guard(body: Uint8Array): Comparison {
      if (ring.keyOf(announced) === undefined) {
        throw new LogUnavailable(`Cannot append an entry: ${NOT_GIVEN}`, { sent: false })
      }
      const began = ring.beganAt(epochOf(body))
      if (began !== undefined) return { key: root, modRevision: began }
      throw new LogUnavailable('Cannot append an entry of an epoch whose key was destroyed', { sent: false })
    },
    /** Begins an epoch: all members get its key. False where another node has begun one, or the ring is full. */
    async rotate(): Promise<boolean> {
      if (ring.isFull) return false
      const epoch = ring.newest + 1
      const salt = ring.keyOf(ring.newest) as Uint8Array
      // Read now: an epoch that begins meanwhile must make the comparison fail, or its number would be given twice.
      const began = ring.beganAt(ring.newest) ?? 0
      const key = randomBytes(KEY_BYTES)
      const wraps = (await members.proven()).flatMap((member): readonly Operation[] => {
        const value = wrapKey(key, member.publicKey, { site, node: member.node, epoch, salt })
        return [{ kind: 'put', put: { key: `${keysRoot}${epoch}/${member.node}`, value } }]
      })
      const { hasSucceeded } = await etcd.transact({
        compare: [{ key: root, modRevision: began }],
        success: [...wraps, { kind: 'put', put: { key: root, value: Buffer.from(`${epoch} ${now()}`) } }],
      })
      return hasSucceeded
    },
    /**
     * Destroys the keys of all epochs that no entry from `trimmedTo` on needs, and that no node of `nodes` still is in.
     * Every node destroys its own copy when it learns of it. Returns the newest epoch that is destroyed.
     */
    async destroyBefore(trimmedTo: number, nodes: readonly string[]): Promise<number> {
      const proven = await members.proven()
      const reached = nodes.map((name) => proven.find((one) => one.node === name)?.epoch ?? 0)
      let through = ring.destroyed
      const isUnused = (epoch: number): boolean =>
        (ring.beganAt(epoch + 1) ?? Infinity) <= trimmedTo && reached.every((one) => one > epoch)
      while (isUnused(through + 1) && through < ring.destroyed + DESTROYED_AT_ONCE_MAX) through++
      if (through === ring.destroyed) return through
      const over = Array.from({ length: through - ring.destroyed }, (_, i) => ring.destroyed + 1 + i)
      await etcd.transact({
        compare: [],
        success: [
          { kind: 'put', put: { key: destroyedKey, value: Buffer.from(String(through)) } },
          ...over.map((epoch): Operation => ({ kind: 'delete', range: keysBelow(`${keysRoot}${epoch}/`) })),
        ],
      })
      ring.destroyThrough(through)
      return through
    },
    /** The nodes that get the keys of later epochs. */
    receivers: async (): Promise<readonly string[]> => (await members.proven()).map((member) => member.node),
    /** Forgets a node: the keys of later epochs are not for it. */
    remove: members.remove,
  }
}

/** The number of the newest epoch of a log. Rejects with EtcdError. */
export async function newestEpoch(etcd: Pick<Etcd, 'range'>, prefix: string): Promise<number> {
  const { pairs } = await etcd.range({ key: `${prefix}log/epoch` })
  return pairs[0] === undefined ? 1 : epochOfValue(pairs[0].value).epoch
}

/** `NUMBER TIME`. */
function epochOfValue(value: Buffer): { readonly epoch: number; readonly begunAt: number } {
  const [epoch = '', time = ''] = value.toString().split(' ')
  return { epoch: Number(epoch) || 0, begunAt: Number(time) || 0 }
}

interface MembersOptions {
  readonly keys: EtcdKeys
  readonly node: string
  readonly site: string
  readonly ring: KeyRing
  readonly publicKey: string
}

/** The public keys of the nodes. */
function createMembers({ keys, node, site, ring, publicKey }: MembersOptions) {
  return {
    /** Publishes that this node has the newest key. */
    async announce(): Promise<void> {
      const membership = { node, epoch: ring.newest, publicKey }
      const key = ring.keyOf(ring.newest) as Uint8Array
      await keys.put(node, Buffer.from(membershipText(membership, { site, key })))
    },
    /** Those whose proof is right: a stranger who can write to etcd cannot become one. */
    async proven(): Promise<readonly Membership[]> {
      const found = [...(await keys.list(''))]
      return found.flatMap(([name, value]) => readMembership(value.toString(), name, site, ring.keyOf) ?? [])
    },
    remove: (other: string): Promise<boolean> => keys.remove(other),
  }
}

const NOT_GIVEN =
  'an epoch began, and this node was not given its key: join the cluster again with an empty data directory, or, where no ' +
  'other node is left, continue with a backup: "dateline cluster init --from FILE" with another --cluster-prefix'

export type Epochs = ReturnType<typeof createEpochs>
