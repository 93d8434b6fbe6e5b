/**
 * Removes what is past its time: expired rows, old audit records, changes and earlier versions, the trash, and inactive
 * guests, items of feeds that none has any more, pictures that nothing names, and then words that no document has any more; in small steps with pauses that no request notices. Beside that, it
 * looks each minute whether guests have nearly all that they may keep, and deletes large and idle ones.
 */
import { rmSync, statSync } from 'node:fs'
import type { Clock } from '../base/clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../base/duration.ts'
import type { Log } from '../base/log.ts'
import { pause } from '../base/pause.ts'
import { repeat } from '../base/repeating.ts'
import { SYSTEM } from './actor.ts'
import { watchClockJumps } from './clock-jumps.ts'
import { isLeftOver, type PictureFiles } from './media/picture-files.ts'
import type { RemovedPictures } from './media/picture-table.ts'
import type { Store } from './store.ts'

const FIRST_ROUND_MS = MINUTE_MS
const ROUND_MS = 6 * HOUR_MS
/** A step takes a few milliseconds; one that removes guests empties the WAL as well. */
const PAUSE_MS = 100
const ROOM_MS = MINUTE_MS
/** Of what guests may keep: above it, large and idle guests make room for new ones. */
const FULL_SHARE = 0.9
/** A guest without a request for this long, and up to an hour more, is idle. */
const IDLE_MS = HOUR_MS

/** Items that no feed had for so long are forgotten: feeds have their items for weeks. */
const UNSEEN_ITEMS_MS = 180 * DAY_MS

/** A file is there before its row: a new one is none that was left. */
const STRAY_FILES_MS = DAY_MS
/** Pictures stay that long at least after something has named them. */
const UNUSED_PICTURES_MS = 30 * DAY_MS

export interface KeptTimes {
  /** How long audit records are kept; undefined keeps them for ever. */
  readonly auditMs: number | undefined
  /** How long guests may be inactive; undefined keeps them for ever. */
  readonly guestMs: number | undefined
  /** Bytes that all guests together may keep. */
  readonly guestBytesMax: number
  /** How long earlier versions and changes are kept, and deleted documents in the trash. */
  readonly historyMs: number
  readonly trashMs: number
}

export interface HousekeepingOptions {
  readonly store: Pick<Store, 'as' | 'accounts' | 'pictures' | 'settings' | 'eraseWords'>
  /** The files of pictures; those of other nodes go by themselves. */
  readonly files?: PictureFiles
  /** Read at each round. */
  readonly kept: () => KeptTimes
  /** Whether this process removes what all nodes of a cluster have: one of them does. */
  readonly isOnDuty?: (() => boolean) | undefined
  readonly now: Clock
  readonly log: Log
}

export function startHousekeeping({ store, files, kept, isOnDuty = () => true, now, log }: HousekeepingOptions) {
  const stopping = new AbortController()
  const { signal } = stopping
  const own = store.as(SYSTEM)
  const mayRemove = watchClockJumps({ store, now, log })
  let round: Promise<void> | undefined
  let ownDueAt = 0

  const rest = (): Promise<void> => pause(PAUSE_MS, signal)
  const makeRoom = async (): Promise<void> => {
    const bytesMax = kept().guestBytesMax * FULL_SHARE
    let [removed, isDone] = [0, store.accounts.guestStorage().bytes <= bytesMax]
    while (!signal.aborted && !isDone) {
      const step = await own.makeGuestRoom(bytesMax, now() - IDLE_MS, now())
      removed += step.removed
      isDone = step.isDone
      if (!isDone) await rest()
    }
    if (removed > 0) log.warn('guests.removed', { guests: removed, reason: 'guests had nearly all the storage that they may use' })
  }
  /** Behind what the trash and the history have lost in the same round: nothing that is left of them names one of these. */
  const removePictures = async (unusedMs: number): Promise<void> => {
    let next: RemovedPictures['next'] = { namedAt: -1, hash: '' }
    let count = 0
    while (!signal.aborted && next !== undefined) {
      const step: RemovedPictures = await own.removeUnusedPictures(now() - unusedMs, next)
      for (const picture of step.removed) if (store.pictures.pictureFile(picture.hash) === undefined) files?.remove(picture)
      count += step.removed.length
      next = step.next
      if (next !== undefined) await rest()
    }
    if (count > 0) log.info('pictures.removed', { pictures: count, reason: 'nothing named them any more' })
  }
  /** Files of this node without a row: what a killed process, a restore, or the removal of a picture by another node has left. */
  const sweepFiles = async (): Promise<void> => {
    const isOld = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < now() - STRAY_FILES_MS
    for (const { pictures, others } of files?.all() ?? []) {
      if (signal.aborted) return
      for (const picture of pictures) {
        if (store.pictures.pictureFile(picture.hash)?.format !== picture.format && isOld(files?.pathOf(picture) ?? '')) files?.remove(picture)
      }
      for (const path of others) if (isLeftOver(path) && isOld(path)) rmSync(path, { force: true })
      if (pictures.length > 0) await rest()
    }
  }
  const tidy = async (): Promise<void> => {
    const { auditMs, guestMs, historyMs, trashMs } = kept()
    while (!signal.aborted && (await own.removeExpired(now()))) await rest()
    const before = (): number | undefined => (auditMs === undefined ? undefined : now() - auditMs)
    while (!signal.aborted && (await own.removeOldRecords(before()))) await rest()
    while (!signal.aborted && (await own.removeOldChanges(now() - historyMs, now() - trashMs))) await rest()
    while (!signal.aborted && (await own.forgetUnseenItems(now() - UNSEEN_ITEMS_MS, now()))) await rest()
    await removePictures(Math.max(UNUSED_PICTURES_MS, historyMs, trashMs))
    if (guestMs === undefined) return
    let after: number | undefined = 0
    while (!signal.aborted && after !== undefined) {
      after = await own.registerGuests(after, now())
      if (after !== undefined) await rest()
    }
    let removed = 0
    while (!signal.aborted) {
      const step = await own.removeGuests(now() - guestMs, now())
      removed += step.removed
      if (step.isDone) break
      await rest()
    }
    if (removed > 0) log.info('guests.removed', { guests: removed })
  }
  /** In the search indexes and the files, which each node of a cluster has for itself. */
  const tidyOwn = async (): Promise<void> => {
    ownDueAt = now() + ROUND_MS
    await sweepFiles()
    await store.eraseWords(async () => {
      await rest()
      return !signal.aborted
    })
  }
  const begin = (work: () => Promise<void>): Promise<void> =>
    (round ??= work()
      .catch((error: unknown) => log.error('housekeeping.failed', { error }))
      .finally(() => {
        round = undefined
      }))
  const run = (): Promise<void> => begin(() => tidy().then(tidyOwn))
  let room: Promise<void> | undefined
  /** Beside a round, which may take long. */
  const keepRoom = (): Promise<void> =>
    (room ??= makeRoom()
      .catch((error: unknown) => log.error('housekeeping.failed', { error }))
      .finally(() => {
        room = undefined
      }))
  const onError = (error: unknown): number => {
    log.error('housekeeping.failed', { error })
    return FIRST_ROUND_MS
  }
  const nextRound = async (): Promise<number> => {
    const isDone = isOnDuty()
    if (isDone) await ((await mayRemove()) ? run() : begin(tidyOwn))
    else if (now() >= ownDueAt) await begin(tidyOwn)
    return isDone ? ROUND_MS : FIRST_ROUND_MS
  }
  const rounds = repeat(nextRound, { firstMs: FIRST_ROUND_MS, onError })
  const roomRounds = repeat(() => (isOnDuty() ? keepRoom().then(() => ROOM_MS) : ROOM_MS), { firstMs: ROOM_MS, onError })
  return {
    /** Goes through everything once; resolves when that is done. */
    run: (): Promise<void> => keepRoom().then(run),
    /** Deletes guests where guests have nearly all that they may keep. */
    keepRoom,
    /** Makes the next round now. Resolves when it is done. */
    wake: rounds.wake,
    async stop(): Promise<void> {
      stopping.abort()
      await Promise.all([rounds.stop(), roomRounds.stop(), round, room])
    },
  }
}
