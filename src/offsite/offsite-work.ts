/**
 * Off-site backups of a running service: at each place a snapshot every few hours, and what changed since every minute, both in
 * threads. Snapshots, pictures and changes go side by side, so that a long upload delays no change.
 *
 * What a place has is stored in the database, and only what is on the disk is sent: a power cut cannot give a number that a place
 * has to another commit. Where a place is gone for long, the chain of changes ends (store/pending), and the next snapshot closes the gap.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AgeError } from '../age/age-error.ts'
import { parseRecipientsFile } from '../age/age-keys.ts'
import type { Clock } from '../base/clock.ts'
import { SECOND_MS } from '../base/duration.ts'
import type { JsonObject } from '../base/json.ts'
import { createKeptThreads } from '../base/kept-threads.ts'
import type { Log } from '../base/log.ts'
import { repeat } from '../base/repeating.ts'
import { errorCode, systemReason } from '../base/system-error.ts'
import { startTaskThread } from '../base/thread.ts'
import { SYSTEM } from '../store/actor.ts'
import type { PicturePlace } from '../store/media/picture-table.ts'
import { newChainId, PENDING_BYTES_MAX, type ChangeChain } from '../store/pending/pending-changes.ts'
import type { Writable } from '../store/writes/writer.ts'
import type { FailureKind, OffsiteResult, OffsiteTask, WorkerOutbound } from './offsite-worker.ts'
import type { StoredPictures } from './picture-objects.ts'
import type { PlaceAddress, PlaceKeys } from './place-address.ts'
import { isSnapshotDue, isWholeProofDue, mayTry, reachedOf, readPlaceState, withFailure, withoutFailure, type Attempt, type PlaceState } from './place-state.ts'
import type { Retention } from './retention.ts'
import { RECIPIENTS_NAME, SECRETS_NAME, SETTINGS_NAME, type SmallFile } from './site-archive.ts'

/** With the time of an upload, a lost machine costs less than a minute. */
const EVERY_MS = 45 * SECOND_MS
const FOLLOW_MS = 15 * SECOND_MS
/** A site that changes all the time keeps its thread; a quiet one has none. */
const THREAD_IDLE_MS = 2 * EVERY_MS
const HEAP_MB_MAX = 128
const COPY_NAME = /^offsite-\d+-\d+\.db/

export interface OffsiteSettings {
  readonly places: readonly PlaceAddress[]
  /** Throws an Error for keys that cannot be read. */
  readonly keys: () => PlaceKeys
  readonly everyMs: number
  readonly retention: Retention
  /** Bytes per second. */
  readonly rate: number | undefined
}

export interface OffsiteOptions {
  readonly store: Writable & {
    readonly pending: { chain(): ChangeChain | undefined; placeState(name: string): JsonObject | undefined }
    readonly pictures: { picturesAfter(after: PicturePlace, limit: number): readonly PicturePlace[] }
  }
  readonly dataDir: string
  readonly database: string
  /** Those in use, which may change. */
  readonly settings: () => OffsiteSettings
  readonly outbound: WorkerOutbound
  readonly secrets: readonly string[]
  /** The settings that the operator gave, for those who restore the site. */
  readonly givenSettings: () => string
  /** Whether this process makes them: of the nodes of a cluster, one does, and without changes. */
  readonly isOnDuty: (() => boolean) | undefined
  readonly now: Clock
  readonly log: Log
}

export interface PlaceStatus extends PlaceState {
  readonly name: string
  /** Changes that the place has still to store. */
  readonly waiting: number
  /** Whether changes behind its last snapshot are not there, until the next one closes the gap. */
  readonly hasGap: boolean
}

/** The file of the recipients in a data directory; undefined where there is none. Throws an AgeError for one that cannot be used. */
export function readRecipients(dataDir: string): string | undefined {
  let text: string
  try {
    text = readFileSync(join(dataDir, RECIPIENTS_NAME), 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new AgeError(`Cannot read ${RECIPIENTS_NAME}: ${systemReason(error)}`)
  }
  parseRecipientsFile(text)
  return text
}

export function startOffsite(options: OffsiteOptions) {
  const { store, dataDir, isOnDuty, settings, log } = options
  const own = store.as(SYSTEM)
  const places = new Map<string, ReturnType<typeof startPlace>>()
  let isStopped = false
  for (const name of readdirSync(dataDir).filter((one) => COPY_NAME.test(one))) rmSync(join(dataDir, name), { force: true })

  /** Follows the settings: starts what is new, and stops what is gone. */
  const follow = async (): Promise<void> => {
    const wanted = new Map(settings().places.map((address) => [address.name, address]))
    for (const [name, place] of places) {
      const address = wanted.get(name)
      if (address !== undefined && JSON.stringify(address) === JSON.stringify(place.address)) continue
      places.delete(name)
      await place.stop()
    }
    for (const [name, address] of wanted) {
      if (!places.has(name) && !isStopped) places.set(name, startPlace(address, options))
    }
    if (isOnDuty !== undefined || isStopped) return
    if (places.size === 0 && store.pending.chain() !== undefined) await own.endChain()
    await prune()
  }
  const prune = async (): Promise<void> => {
    const chain = store.pending.chain()
    if (chain === undefined || chain.bytes === 0) return
    const reached = [...places.values()].map(({ state }) => reachedOf(state(), chain))
    // A place that lags gets a snapshot later, before the others lose the chain by it.
    const upTo = chain.bytes > PENDING_BYTES_MAX / 2 ? Math.max(...reached) : Math.min(...reached)
    while (upTo > 0 && Number.isFinite(upTo) && (await own.prunePending(upTo))) continue
  }
  const rounds = repeat(() => follow().then(() => FOLLOW_MS), {
    onError(error) {
      log.error('offsite.failed', { reason: systemReason(error) })
      return EVERY_MS
    },
  })
  return {
    places: (): readonly PlaceStatus[] =>
      [...places.values()].map(({ address, state }) => {
        const found = state()
        const chain = store.pending.chain()
        const hasGap = found.snapshot !== null && chain !== undefined && (chain.broken !== undefined || chain.id !== found.snapshot.chain)
        return { ...found, name: address.name, waiting: chain === undefined ? 0 : Math.max(0, chain.seq - reachedOf(found, chain)), hasGap }
      }),
    everyMs: (): number => settings().everyMs,
    /** Looks at the settings, and at what is due at each place. Resolves when that is done. */
    async wake(): Promise<void> {
      await rounds.wake()
      await Promise.all([...places.values()].map((place) => place.wake()))
      await rounds.wake()
    },
    /** Makes a snapshot at each place, whether it is due or not. */
    async make(): Promise<void> {
      await rounds.wake()
      await Promise.all([...places.values()].map((place) => place.make()))
    },
    async stop(): Promise<void> {
      isStopped = true
      await rounds.stop()
      await Promise.all([...places.values()].map((place) => place.stop()))
    },
  }
}

let copies = 0

function startPlace(address: PlaceAddress, options: OffsiteOptions) {
  const { store, dataDir, database, settings, outbound, secrets, givenSettings, isOnDuty, now, log } = options
  const { name } = address
  const own = store.as(SYSTEM)
  const recordsChanges = isOnDuty === undefined
  const threads = createKeptThreads({ start: startOffsiteThread, idleMsMax: THREAD_IDLE_MS, now })
  let state = readPlaceState(store.pending.placeState(name))
  let [hasGap, isForced, looksForFork, isStopped] = [false, false, true, false]
  /** Two that stored one picture at once could not read back what they stored: a snapshot or a tidying waits for the pictures, and they for it. */
  let [isAlone, sending, lastPicture] = [false, undefined as Promise<unknown> | undefined, undefined as PicturePlace | undefined]

  const update = async (change: Partial<PlaceState>): Promise<void> => {
    state = { ...state, ...change }
    await own.writePlaceState(name, state as unknown as JsonObject)
  }
  const fail = async (attempt: Attempt, kind: FailureKind, message: string): Promise<void> => {
    if (isStopped) return
    if (state.failures[attempt]?.message !== message) log.error('offsite.failed', { place: name, reason: message })
    await update(withFailure(state, attempt, { kind, message, at: now() }))
  }
  const succeed = async (attempt: Attempt): Promise<void> => {
    if (state.failures[attempt] === undefined) return
    const { change, failedMs } = withoutFailure(state, attempt, now())
    await update(change)
    if (failedMs !== undefined) log.info('offsite.recovered', { place: name, failedMs })
  }
  /** Undefined where the job failed, which is then stored, or there is no key to encrypt for. */
  const run = async <Kind extends OffsiteTask['job']['kind']>(job: OffsiteTask['job'] & { kind: Kind }): Promise<OffsiteResult | undefined> => {
    const recipients = readRecipients(dataDir)
    if (recipients === undefined) {
      await fail(job.kind, 'denied', 'there is no key to encrypt for: run "dateline backup key", and keep what it prints')
      return undefined
    }
    const { keys, rate } = settings()
    const wasUsed = state.snapshot !== null
    const result = await threads.run({ address, keys: [...keys()], recipients, rate, wasUsed, outbound, job })
    if (result.kind !== 'failed') {
      await succeed(job.kind)
      return result
    }
    if (result.reason === 'forked') await own.breakChain(result.message)
    await fail(job.kind, result.reason, result.message)
    return undefined
  }
  const withoutPictures = async (work: () => Promise<unknown>): Promise<void> => {
    isAlone = true
    try {
      await sending?.catch(() => {})
      if (!isStopped) await work()
    } finally {
      isAlone = false
    }
  }
  const storeSnapshot = async (): Promise<void> => {
    isForced = false
    if (recordsChanges) {
      const reason = store.pending.chain()?.broken
      if (reason !== undefined) log.warn('offsite.gap', { place: name, reason })
      await own.continueChain(newChainId())
    }
    const copy = join(dataDir, `offsite-${process.pid}-${++copies}.db`)
    const beside: SmallFile[] = [
      { name: SETTINGS_NAME, text: givenSettings() },
      { name: RECIPIENTS_NAME, text: readRecipients(dataDir) ?? '' },
      { name: SECRETS_NAME, text: `${secrets.join('\n')}\n` },
    ]
    const result = await run({ kind: 'snapshot', database, copy, dataDir, beside, lastAt: state.snapshot?.at ?? 0, isWholeProofDue: isWholeProofDue(state, now()) })
    if (result?.kind !== 'snapshot') return
    const { at, bytes, items, ms, chain, seq, proof, pictures } = result.stored
    hasGap = false
    await update({
      snapshot: { at, bytes, items, ms, chain, seq },
      // Changes that wait are stored although the snapshot has them: without it, an earlier one leads on over its time.
      ...(recordsChanges && state.changes?.chain !== chain ? { changes: { chain, seq, at, sending: seq } } : {}),
      ...{ provedAt: now(), wholeProofAt: proof === 'whole' ? now() : state.wholeProofAt },
    })
    log.info('offsite.stored', { place: name, bytes, items, pictures: pictures.sent, ms })
    warnOfMissing(pictures)
    await tidy()
  }
  const tidy = () => {
    const chain = store.pending.chain()
    const unproved = chain && { chain: chain.id, behind: reachedOf(state, chain) }
    return run({ kind: 'tidy', database, retention: settings().retention, unproved })
  }
  const changes = async (): Promise<void> => {
    const chain = store.pending.chain()
    if (chain === undefined) return
    const reached = state.changes?.chain === chain.id ? state.changes : { chain: chain.id, seq: 0, at: 0, sending: 0 }
    // What could not be stored may have come with a snapshot, which then began another chain.
    if (chain.seq === reached.seq) return succeed('changes')
    if (hasGap) return
    await update({ changes: { ...reached, sending: chain.seq } })
    const { snapshot } = state
    const result = await run({
      ...{ kind: 'changes', database, chain: chain.id, after: reached.seq, upTo: chain.seq, looksForFork },
      snapshot: snapshot?.chain === chain.id ? snapshot : undefined,
    })
    if (result?.kind !== 'changes') return
    looksForFork = false
    const { seq, at } = result.stored ?? reached
    // A snapshot that ended meanwhile may close the gap: the next attempt finds out.
    hasGap = seq < chain.seq && state.snapshot === snapshot
    // Such a one may also have begun another chain.
    if (seq > reached.seq && state.changes?.chain === chain.id) await update({ changes: { chain: chain.id, seq, at, sending: seq }, provedAt: now() })
  }
  /** Pictures that came since the last look. A snapshot looks at all of them. */
  const pictures = async (): Promise<void> => {
    if (state.snapshot === null || isAlone) return
    if (store.pictures.picturesAfter(lastPicture ?? { createdAt: 0, hash: '' }, 1).length === 0 && state.failures.pictures === undefined) return
    const job = run({ kind: 'pictures', database, after: lastPicture })
    sending = job
    try {
      const result = await job
      if (result?.kind !== 'pictures') return
      lastPicture = result.stored.reached
      warnOfMissing(result.stored)
    } finally {
      sending = undefined
    }
  }
  const warnOfMissing = ({ missing }: StoredPictures): void => {
    if (missing > 0) log.warn('offsite.pictures_missing', { place: name, pictures: missing, reason: 'their files are missing or damaged: see "dateline media check"' })
  }
  const isDue = (): boolean =>
    isForced || isSnapshotDue({ state, chain: store.pending.chain(), recordsChanges, hasGap, everyMs: settings().everyMs, now: now() })
  const loop = (attempt: Attempt, work: () => Promise<void>) =>
    repeat(
      async () => {
        if (isOnDuty?.() !== false) await work()
        await threads.endIdle()
        return EVERY_MS
      },
      {
        onError(error) {
          if (!isStopped) {
            log.error('offsite.failed', { place: name, reason: systemReason(error) })
            // The database may be what fails.
            state = { ...state, ...withFailure(state, attempt, { kind: 'database', message: systemReason(error), at: now() }) }
          }
          return EVERY_MS
        },
      },
    )
  const snapshots = async (): Promise<void> => {
    if (isDue()) await withoutPictures(storeSnapshot)
    else if (state.failures.tidy !== undefined && mayTry(state.failures.tidy, now())) await withoutPictures(tidy)
  }
  const loops = [loop('snapshot', snapshots), ...(recordsChanges ? [loop('changes', changes), loop('pictures', pictures)] : [])]
  const wake = async (): Promise<void> => void (await Promise.all(loops.map((one) => one.wake())))
  return {
    address,
    state: (): PlaceState => state,
    wake,
    async make(): Promise<void> {
      isForced = true
      await wake()
    },
    async stop(): Promise<void> {
      isStopped = true
      await threads.end()
      await Promise.all(loops.map((one) => one.stop()))
    },
  }
}

function startOffsiteThread() {
  const program = new URL('./offsite-worker.ts', import.meta.url)
  return startTaskThread<OffsiteTask, OffsiteResult>(program, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX } })
}
