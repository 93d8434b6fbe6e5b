/**
 * The keys of the log, one for each epoch, in the file `cluster-keys` of each node. A new epoch begins now and then;
 * once nothing in the log needs an old one, its key is destroyed on every node, and what was sealed with it can never
 * be read again, whatever copy of etcd's files is still somewhere. So deleted text is gone for good, though etcd keeps
 * history.
 *
 * All nodes have the same keys: a node that joins gets the file from another one. Keys never reach etcd in the clear.
 */
import { randomBytes } from 'node:crypto'
import { isObject, parseJson } from '../../base/json.ts'
import { DataDirError } from '../../store/db/data-dir.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

const KEY_BYTES = 32
/** Epochs that are not destroyed. One begins each day, and the log is trimmed each day. */
const EPOCHS_MAX = 1_000
const EPOCH_MAX = 0xffff_ffff

export interface Epoch {
  readonly epoch: number
  readonly key: Buffer
  /**
   * The revision of etcd in which it began: later entries are sealed with it, or a newer one. 0 for the first epoch.
   */
  readonly began: number
}

/**
 * Opens the ring of a node, and makes it with its first key where the file is missing. Throws DataDirError.
 *
 * A command beside a running node has the same file: what one of them adds or destroys, the other finds there, and
 * neither writes back an older state.
 */
export function openKeyRing(file: string) {
  const found = readRing(file)
  let ring = found ?? firstRing()
  const newest = (): number => ring.epochs.at(-1)?.epoch ?? 0
  const save = (changed: Ring): void => {
    ring = changed
    writePrivateFile(file, ringText(ring))
  }
  /** Takes what another process has written. */
  const refresh = (): void => {
    ring = joined(ring, readRing(file) ?? ring)
  }
  const find = (epoch: number): Epoch | undefined => {
    if (epoch > newest()) refresh()
    return ring.epochs.find((one) => one.epoch === epoch)
  }
  if (found === undefined) save(ring)
  return {
    /** The newest epoch, which seals. */
    get newest(): number {
      return newest()
    },
    /** Epochs up to this one have no key any more. */
    get destroyed(): number {
      return ring.destroyed
    },
    /** Whether there are so many epochs that none can begin until old ones are destroyed. */
    get isFull(): boolean {
      return ring.epochs.length >= EPOCHS_MAX
    },
    keyOf: (epoch: number): Buffer | undefined => find(epoch)?.key,
    /** The revision in which an epoch began; undefined where its key is not here. */
    beganAt: (epoch: number): number | undefined => find(epoch)?.began,
    /**
     * Adds the next epoch, durably. Others are ignored: they are here already, or cannot be used without those before.
     */
    add(added: Epoch): void {
      refresh()
      if (added.epoch !== newest() + 1) return
      save({ ...ring, epochs: [...ring.epochs, added] })
    },
    /** Destroys the keys of all epochs up to one, but never the newest. */
    destroyThrough(epoch: number): void {
      refresh()
      const through = Math.min(epoch, newest() - 1)
      if (through <= ring.destroyed) return
      for (const one of ring.epochs) if (one.epoch <= through) one.key.fill(0)
      save(joined(ring, { destroyed: through, epochs: [] }))
    },
  }
}

export type KeyRing = ReturnType<typeof openKeyRing>

interface Ring {
  readonly destroyed: number
  /** Without a gap, the newest last; at least one. */
  readonly epochs: readonly Epoch[]
}

/** The epochs of both that neither has destroyed. */
function joined(one: Ring, other: Ring): Ring {
  const destroyed = Math.max(one.destroyed, other.destroyed)
  const epochs = new Map([...other.epochs, ...one.epochs].map((epoch) => [epoch.epoch, epoch]))
  const left = [...epochs.values()].filter(({ epoch }) => epoch > destroyed)
  return { destroyed, epochs: left.sort((a, b) => a.epoch - b.epoch) }
}

function firstRing(): Ring {
  return { destroyed: 0, epochs: [{ epoch: 1, key: randomBytes(KEY_BYTES), began: 0 }] }
}

function ringText({ destroyed, epochs }: Ring): string {
  const keys = epochs.map(({ epoch, key, began }) => ({ epoch, began, key: key.toString('base64') }))
  return `${JSON.stringify({ format: 1, destroyed, keys })}\n`
}

/** The file may be a copy of another node's: all that is used later is checked here. Undefined where there is none. */
function readRing(file: string): Ring | undefined {
  const text = readPrivateFile(file)
  if (text === undefined) return undefined
  try {
    const ring = parseJson(text)
    if (!isObject(ring) || ring['format'] !== 1 || !Array.isArray(ring['keys'])) throw new Error('expected format 1')
    const destroyed = count(ring['destroyed'])
    const epochs = ring['keys'].map(parseEpoch)
    if (epochs.length === 0 || epochs.length > EPOCHS_MAX + 1) throw new Error(`expected 1 to ${EPOCHS_MAX + 1} keys`)
    if (epochs.some(({ epoch }, i) => epoch !== destroyed + 1 + i)) throw new Error('expected epochs without a gap')
    return { destroyed, epochs }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `Cannot read the keys of the cluster in "${file}": ${reason}: join the cluster again with an empty data directory`
    throw new DataDirError(message, { cause: error })
  }
}

function parseEpoch(value: unknown): Epoch {
  if (!isObject(value) || typeof value['key'] !== 'string') throw new Error('expected a key')
  const key = Buffer.from(value['key'], 'base64')
  if (key.length !== KEY_BYTES) throw new Error(`expected keys of ${KEY_BYTES} bytes`)
  return { epoch: count(value['epoch']), began: count(value['began'], Number.MAX_SAFE_INTEGER), key }
}

function count(value: unknown, max = EPOCH_MAX): number {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max) return Number(value)
  throw new Error('expected whole numbers')
}
