/**
 * A folder in which other programs put files, each of which is handed over once and then stands in `done/` or `rejected/`.
 *
 * Who may write in the folder is no friend by that: links are not followed, pipes not opened, and a file counts only where it
 * is the same in two looks and after it was read. The process may end at any moment: a file that was handed over and not moved
 * is handed over again.
 */
import { constants, type BigIntStats } from 'node:fs'
import { access, chmod, lstat, mkdir, opendir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setNewest } from './bounded-map.ts'
import { isoDate } from './dates.ts'
import { fileKind, openRegularFile } from './regular-file.ts'
import { systemReason } from './system-error.ts'

/** Files that are looked at together; others wait. */
const FILES_MAX = 1_000
/** Files that could not be moved, which are remembered. */
const STUCK_MAX = 10_000
const STUCK_MS = 60_000
const NAME_CHARS_MAX = 100
const [DONE, REJECTED] = ['done', 'rejected']
/** How programs call files that they still write. */
const UNFINISHED = /^\.|\.part$/i

/** What became of a file; notes stand in a file of text beside it. */
export interface Taken {
  readonly isRejected: boolean
  readonly notes: readonly string[]
}

export interface InboxOptions {
  readonly directory: string
  readonly bytesMax: number
  /** Takes the bytes of a file. What it throws leaves the file for later. */
  readonly take: (bytes: Uint8Array, name: string) => Promise<Taken>
  /** Told the shown name of a file that is rejected unread, and the reason. */
  readonly onRefused: (name: string, reason: string) => void
  /** Told the shown name of a file and the reason where it could not be taken or moved. */
  readonly onStuck: (name: string, reason: string) => void
  readonly now: () => number
}

/**
 * Makes `done/` and `rejected/`, once: in a folder with other files only its owner may make them, so that a mistyped path moves
 * no files away. Rejects with what is expected and found.
 */
export async function prepareInbox(directory: string): Promise<void> {
  const { missing, mode } = await checkInbox(directory)
  if (missing.length === 0) return
  for await (const { name } of await opendir(directory)) {
    if (name.startsWith('.') || name === DONE || name === REJECTED) continue
    throw new Error('expected an empty folder: it has other files, which would be moved. Make "done" and "rejected" in it if it is the right one')
  }
  for (const name of missing) {
    await mkdir(join(directory, name))
    // As those who put files there may see what became of them.
    await chmod(join(directory, name), mode)
  }
}

/** How many files wait, and how many were rejected; of each at most `max`. Rejects where the folder cannot be used. */
export async function countInbox(directory: string, max: number): Promise<{ readonly waiting: number; readonly rejected: number }> {
  const { missing } = await checkInbox(directory)
  const count = async (path: string): Promise<number> => {
    let files = 0
    for await (const entry of await opendir(path)) if (!entry.isDirectory() && !UNFINISHED.test(entry.name) && ++files === max) break
    return files
  }
  // Each of them has its notes.
  return { waiting: await count(directory), rejected: missing.includes(REJECTED) ? 0 : Math.ceil((await count(join(directory, REJECTED))) / 2) }
}

/** What is to be made in a folder, with the mode of the folder. */
async function checkInbox(directory: string): Promise<{ readonly missing: readonly string[]; readonly mode: number }> {
  const folder = await stat(directory)
  if (!folder.isDirectory()) throw new Error(`expected a directory, found ${fileKind(folder)}`)
  const missing: string[] = []
  for (const name of [DONE, REJECTED]) {
    const found = await lstat(join(directory, name)).catch(() => undefined)
    if (found === undefined) missing.push(name)
    else if (!found.isDirectory()) throw new Error(`expected a directory "${name}" in it, found ${fileKind(found)}`)
  }
  const there = [DONE, REJECTED].filter((name) => !missing.includes(name)).map((name) => join(directory, name))
  for (const path of [directory, ...there]) await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  return { missing, mode: folder.mode & 0o7777 }
}

export function createInbox({ directory, bytesMax, take, onRefused, onStuck, now }: InboxOptions) {
  /** How each file was at the last look. */
  let seen = new Map<string, string>()
  const stuck = new Map<string, { readonly as: string; readonly until: number }>()
  let moved = 0

  /** Files by their names, whose bytes may be no text, with how each is now. */
  const look = async (): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>()
    for await (const entry of await opendir(directory, { encoding: 'latin1', bufferSize: FILES_MAX })) {
      const { name } = entry
      if (found.size === FILES_MAX) break
      if (entry.isDirectory() || UNFINISHED.test(name)) continue
      const stats = await statsOf(name)
      if (stats === undefined) continue
      const as = stampOf(stats)
      const { as: stuckAs, until = 0 } = stuck.get(name) ?? {}
      if (stuckAs !== as || until <= now()) found.set(name, as)
    }
    return found
  }
  const pathOf = (name: string): Buffer => Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(name, 'latin1')])
  /** Undefined for one that was taken away meanwhile. */
  const statsOf = async (name: string): Promise<BigIntStats | undefined> => lstat(pathOf(name), { bigint: true }).catch(() => undefined)
  /** The bytes of a file, or what it is instead; undefined where it has changed or is gone. */
  const read = async (name: string, as: string): Promise<Uint8Array | string | undefined> => {
    const stats = await statsOf(name)
    if (stats === undefined || stampOf(stats) !== as) return undefined
    if (!stats.isFile()) return `Expected a file, found ${fileKind(stats)}`
    if (stats.size > bytesMax) return `Expected at most ${bytesMax} bytes, found ${stats.size}`
    const opened = await openRegularFile(pathOf(name))
    if (opened === undefined) return undefined
    const { handle } = opened
    try {
      const bytes = Buffer.alloc(Number(stats.size) + 1)
      let length = 0
      for (let got = -1; got !== 0 && length < bytes.length; length += got) got = (await handle.read(bytes, length, bytes.length - length, length)).bytesRead
      const isSame = length === Number(stats.size) && stampOf(await handle.stat({ bigint: true })) === as
      return isSame ? bytes.subarray(0, length) : undefined
    } finally {
      await handle.close()
    }
  }
  /** Notes are there before the file is, and readers of the one may read the other. */
  const move = async (name: string, { isRejected, notes }: Taken): Promise<void> => {
    const time = isoDate(now()).replaceAll(/[-:]/g, '')
    const target = join(directory, isRejected ? REJECTED : DONE, `${time}-${++moved}-${shownName(name)}`)
    const stats = await statsOf(name)
    if (notes.length > 0) {
      await writeFile(`${target}.txt`, notes.map((note) => `${note}\n`).join(''), { flag: 'wx' })
      await chmod(`${target}.txt`, 0o600 | (Number(stats?.mode ?? 0) & 0o044))
    }
    await rename(pathOf(name), target)
  }
  const takeOne = async (name: string, as: string): Promise<void> => {
    try {
      const bytes = await read(name, as)
      if (bytes === undefined) return
      if (typeof bytes === 'string') {
        await move(name, { isRejected: true, notes: [bytes] })
        onRefused(shownName(name), bytes)
      } else await move(name, await take(bytes, shownName(name)))
    } catch (error) {
      setNewest(stuck, name, { as, until: now() + STUCK_MS }, STUCK_MAX)
      onStuck(shownName(name), systemReason(error))
    }
  }
  return {
    /** Takes the files that are as they were at the look before, in the order of their names, until it is to stop. Rejects where it cannot look. */
    async takeFiles(isStopped: () => boolean): Promise<void> {
      await prepareInbox(directory)
      const found = await look()
      for (const name of [...found.keys()].sort()) {
        if (isStopped()) return
        const as = found.get(name)
        if (as !== undefined && seen.get(name) === as) await takeOne(name, as)
      }
      seen = new Map(found)
    },
  }
}

function stampOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs}`
}

/** A name for messages and for the file in its new place: bytes that are no text, controls and signs that turn text are left out. */
function shownName(name: string): string {
  const text = Buffer.from(name, 'latin1').toString('utf8')
  return text.replaceAll(/[^\p{L}\p{M}\p{N}._ -]/gu, '_').slice(-NAME_CHARS_MAX).toWellFormed()
}
