/**
 * The keys of the objects of a place. What a restore needs to choose is in the keys, so that a list is enough:
 *
 * - `snapshots/20261124T093000Z-CHAIN-SEQ.tar.zst.age`: a whole site as of the commit with this number of the chain
 * - `snapshots/20261124T093000Z-CHAIN-SEQ.json.age`: what it holds; written last, and a snapshot without it is none
 * - `changes/CHAIN/FIRST-LAST-20261124T093100Z.zst.age`: the commits with these numbers; the time is that of the last one
 * - `pictures/HASH.EXT.age`: a picture by the SHA-256 of its file, for all snapshots and changes that name it
 */
import { compactDate, parseIsoDate } from '../base/dates.ts'
import { fileNameOf, parseFileName } from '../store/media/picture-files.ts'
import type { PictureName } from '../store/media/picture-table.ts'
import type { PlaceObject } from './place.ts'

export const SNAPSHOTS = 'snapshots/'
export const CHANGES = 'changes/'
export const PICTURES = 'pictures/'
const DIGITS = 12

export interface SnapshotId {
  /** No commit in it is later; milliseconds since the epoch, to the second. */
  readonly at: number
  readonly chain: string
  readonly seq: number
}

export interface Snapshot extends SnapshotId {
  /** Of the archive. */
  readonly bytes: number
}

export interface SegmentId {
  readonly chain: string
  readonly first: number
  readonly last: number
  /** Of the last commit, in milliseconds since the epoch, to the second. */
  readonly at: number
}

export interface Segment extends SegmentId {
  readonly bytes: number
}

export function snapshotKeys({ at, chain, seq }: SnapshotId): { readonly archive: string; readonly manifest: string } {
  const base = `${SNAPSHOTS}${compactDate(at)}-${chain}-${numberText(seq)}`
  return { archive: `${base}.tar.zst.age`, manifest: `${base}.json.age` }
}

export function segmentKey({ chain, first, last, at }: SegmentId): string {
  return `${CHANGES}${chain}/${numberText(first)}-${numberText(last)}-${compactDate(at)}.zst.age`
}

export function pictureKey(picture: PictureName): string {
  return `${PICTURES}${fileNameOf(picture)}.age`
}

/** The pictures of a list. */
export function picturesListed(objects: readonly PlaceObject[]): readonly PictureName[] {
  return objects.flatMap(({ key }) => parseFileName(/^pictures\/(.+)\.age$/.exec(key)?.[1] ?? '') ?? [])
}

/** Snapshots with their manifests, oldest first. */
export function snapshotsIn(objects: readonly PlaceObject[]): readonly Snapshot[] {
  const keys = new Set(objects.map(({ key }) => key))
  return objects
    .flatMap(({ key, bytes }) => {
      const [, time = '', chain = '', seq = ''] = /^snapshots\/(\d{8}T\d{6}Z)-([0-9a-f]{16})-(\d{12})\.tar\.zst\.age$/.exec(key) ?? []
      const at = parseTime(time)
      if (at === undefined || !keys.has(key.replace('.tar.zst.age', '.json.age'))) return []
      return [{ at, chain, seq: Number(seq), bytes }]
    })
    .sort((a, b) => a.at - b.at || a.seq - b.seq)
}

/** The key of the manifest of a snapshot, by that of its archive or its own; undefined for other objects. */
export function manifestOf(key: string): string | undefined {
  const [, base] = /^(snapshots\/.+)\.(?:tar\.zst|json)\.age$/.exec(key) ?? []
  return base === undefined ? undefined : `${base}.json.age`
}

/** Objects of snapshots whose manifests are missing, such as those of uploads that ended early. */
export function unfinishedIn(objects: readonly PlaceObject[]): readonly string[] {
  const whole = new Set(snapshotsIn(objects).flatMap((snapshot) => Object.values(snapshotKeys(snapshot))))
  return objects.map(({ key }) => key).filter((key) => manifestOf(key) !== undefined && !whole.has(key))
}

/** Segments of changes, by chain and number. */
export function segmentsIn(objects: readonly PlaceObject[]): readonly Segment[] {
  return objects
    .flatMap(({ key, bytes }) => {
      const [, chain = '', first = '', last = '', time = ''] = /^changes\/([0-9a-f]{16})\/(\d{12})-(\d{12})-(\d{8}T\d{6}Z)\.zst\.age$/.exec(key) ?? []
      const at = parseTime(time)
      return at === undefined || Number(last) < Number(first) ? [] : [{ chain, first: Number(first), last: Number(last), at, bytes }]
    })
    .sort((a, b) => (a.chain < b.chain ? -1 : a.chain > b.chain ? 1 : a.first - b.first || a.last - b.last))
}

/**
 * The segments that lead on from a number of a chain, as far as there is no hole. An attempt whose response was lost may have left
 * one that overlaps the next.
 */
export function segmentsBehind(segments: readonly Segment[], chain: string, seq: number): readonly Segment[] {
  const found: Segment[] = []
  let reached = seq
  for (const segment of segments.filter((one) => one.chain === chain)) {
    if (segment.last <= reached) continue
    if (segment.first > reached + 1) break
    found.push(segment)
    reached = segment.last
  }
  return found
}

function numberText(seq: number): string {
  return String(seq).padStart(DIGITS, '0')
}

function parseTime(text: string): number | undefined {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? []
  const date = year === undefined ? undefined : parseIsoDate(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return date === undefined ? undefined : Date.parse(date)
}
