/**
 * Pictures that another node took in: the log brings their rows to every node, and each node fetches their files from a peer.
 * It does so soon after a row has come, and at once where a client asks for a picture that is not there yet. What a peer sends
 * counts only where its bytes have the hash of the picture.
 */
import { setNewest } from '../../base/bounded-map.ts'
import type { Clock } from '../../base/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../base/duration.ts'
import type { Log } from '../../base/log.ts'
import { nextTurn } from '../../base/pause.ts'
import { repeat } from '../../base/repeating.ts'
import { createRunningLimit } from '../../base/running-limit.ts'
import { systemReason } from '../../base/system-error.ts'
import type { KnownNode } from '../../cluster/membership.ts'
import { hashOfBytes, type PictureFiles } from '../../store/media/picture-files.ts'
import type { PictureFile, PicturePlace } from '../../store/media/picture-table.ts'
import type { ReadStore } from '../../store/read-store.ts'

const LOOK_MS = 10 * SECOND_MS
/** Where no peer has one of them: all rows from there are looked at again. */
const MISSING_LOOK_MS = 10 * MINUTE_MS
/** A row may come later than one of another node whose clock is behind. */
const OVERLAP_MS = 10 * MINUTE_MS
const PAGE = 200
const FETCHES_MAX = 4
/** A picture that no peer had is not asked for again before; clients may ask for it as often as they like. */
const RETRY_MS = 30 * SECOND_MS
const RETRIES_KEPT_MAX = 1_000

export interface PictureFetchOptions {
  readonly store: Pick<ReadStore, 'pictures'>
  readonly files: PictureFiles
  /** Other nodes that live. */
  readonly peers: () => readonly KnownNode[]
  /** Rejects where the peer does not have it. */
  readonly download: (peer: KnownNode, picture: PictureFile) => Promise<Buffer>
  readonly now: Clock
  readonly log: Log
}

export type PictureFetching = ReturnType<typeof createPictureFetching>

export function createPictureFetching({ store, files, peers, download, now, log }: PictureFetchOptions) {
  const inTurn = createRunningLimit(FETCHES_MAX)
  const running = new Map<string, Promise<boolean>>()
  const failedAt = new Map<string, number>()

  const fetchFrom = async (picture: PictureFile): Promise<boolean> => {
    const reasons: string[] = []
    for (const peer of peers()) {
      try {
        const bytes = await download(peer, picture)
        if (bytes.length !== picture.bytes || hashOfBytes(bytes) !== picture.hash) throw new Error(`the bytes of node ${peer.node} are not those of the picture`)
        await files.write(picture, bytes)
        return true
      } catch (error) {
        reasons.push(systemReason(error))
      }
    }
    // A node that has just joined is known a moment later, and asked then.
    if (reasons.length > 0) setNewest(failedAt, picture.hash, now(), RETRIES_KEPT_MAX)
    log.warn('cluster.picture_missing', { hash: picture.hash, reason: reasons.join('; ') || 'no other node lives' })
    return false
  }
  /** Whether the file is there now. */
  const fetchMissing = (picture: PictureFile): Promise<boolean> => {
    if (now() - (failedAt.get(picture.hash) ?? -Infinity) < RETRY_MS) return Promise.resolve(false)
    const known = running.get(picture.hash)
    if (known !== undefined) return known
    const fetching = inTurn(() => fetchFrom(picture)).finally(() => running.delete(picture.hash))
    running.set(picture.hash, fetching)
    return fetching
  }

  let after: PicturePlace = { createdAt: 0, hash: '' }
  /** Fetches what has come since the last look. Returns whether all of it is there. */
  const catchUp = async (): Promise<boolean> => {
    let missing: PicturePlace | undefined
    for (let page; page === undefined || page.length === PAGE; ) {
      const from = after
      page = store.pictures.picturesAfter(after, PAGE)
      for (const picture of page) {
        if (!files.has(picture) && !(await fetchMissing(picture))) missing ??= from
        after = { createdAt: picture.createdAt, hash: picture.hash }
      }
      await nextTurn()
    }
    after = missing ?? { createdAt: Math.max(0, after.createdAt - OVERLAP_MS), hash: '' }
    return missing === undefined
  }

  return {
    fetchMissing,
    catchUp,
    start() {
      const onError = (error: unknown): number => {
        log.warn('cluster.pictures_failed', { reason: systemReason(error) })
        return LOOK_MS
      }
      return repeat(async () => ((await catchUp()) ? LOOK_MS : MISSING_LOOK_MS), { firstMs: LOOK_MS, onError })
    },
  }
}
