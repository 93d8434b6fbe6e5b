/**
 * A directory, such as that of a network disk which is mounted. An object gets its name when it is whole and on the disk.
 *
 * A disk that is not mounted leaves an empty directory, which would be filled in its place: a directory that was used has a mark.
 */
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../base/directory.ts'
import { errorCode, systemReason } from '../base/system-error.ts'
import type { DirectoryAddress } from './place-address.ts'
import { ABANDONED_MS, inOrder, isKey, OBJECTS_MAX, PlaceError, type Place, type PlaceErrorKind, type PlaceObject } from './place.ts'
import type { TransferRate } from './transfer-rate.ts'

const DIRECTORY_MODE = 0o700
const FILE_MODE = 0o600
const MARK = 'dateline-backups'
const PARTIAL = /\.partial-[\w-]+$/
const READ_BYTES = 1024 * 1024

export interface DirectoryOptions {
  readonly address: DirectoryAddress
  readonly rate: TransferRate
  /** Whether objects were stored there before. */
  readonly wasUsed: boolean
}

export function createDirectoryPlace({ address: { name, path }, rate, wasUsed }: DirectoryOptions): Place {
  let partials = 0
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw asPlaceError(error, name)
    }
  }
  const requireDirectory = async (): Promise<void> => {
    if (!(await stat(path)).isDirectory()) throw new PlaceError('address', `${name}: it is not a directory: correct the address`)
    if (!wasUsed || (await exists(join(path, MARK)))) return
    throw new PlaceError('address', `${name}: the directory lacks its mark ${MARK}: mount the disk, or make an empty file of that name if it is the right one`)
  }
  /** Adds the objects of a directory whose keys begin with `wanted`. */
  const walk = async (directory: string, prefix: string, wanted: string, found: PlaceObject[]): Promise<void> => {
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      const key = `${prefix}${entry.name}`
      if (!isKey(key) || PARTIAL.test(key) || !key.startsWith(wanted)) continue
      if (entry.isDirectory()) await walk(join(directory, entry.name), `${key}/`, wanted, found)
      else if (entry.isFile() && key !== MARK) found.push({ key, bytes: (await stat(join(directory, entry.name))).size })
      if (found.length > OBJECTS_MAX) throw new PlaceError('protocol', `${name}: there are more than ${OBJECTS_MAX} files: choose another directory`)
    }
  }
  return {
    name,
    put: (key, content) =>
      run(async () => {
        await requireDirectory()
        const file = join(path, key)
        const partial = `${file}.partial-${process.pid}-${++partials}`
        await mkdir(dirname(file), { recursive: true, mode: DIRECTORY_MODE })
        const handle = await open(partial, 'wx', FILE_MODE)
        try {
          for await (const chunk of content) {
            for await (const piece of rate.paced(chunk)) await handle.writeFile(piece)
          }
          await handle.sync()
        } catch (error) {
          await rm(partial, { force: true })
          throw error
        } finally {
          await handle.close()
        }
        await rename(partial, file)
        syncDirectory(dirname(file))
        if (!(await exists(join(path, MARK)))) await writeFile(join(path, MARK), '', { mode: FILE_MODE })
      }),
    async *get(key, from = 0) {
      try {
        await requireDirectory()
        for await (const chunk of createReadStream(join(path, key), { start: from, highWaterMark: READ_BYTES })) {
          yield chunk as Buffer
          await rate.take((chunk as Buffer).length)
        }
      } catch (error) {
        throw asPlaceError(error, name, 'missing')
      }
    },
    list: (prefix) =>
      run(async () => {
        await requireDirectory()
        const found: PlaceObject[] = []
        // Keys of one kind share a directory: the others need not be read.
        const base = prefix.slice(0, prefix.lastIndexOf('/') + 1)
        if (await exists(join(path, base))) await walk(join(path, base), base, prefix, found)
        return inOrder(found)
      }),
    remove: (key) =>
      run(async () => {
        await requireDirectory()
        await rm(join(path, key), { force: true })
      }),
    sweep: (now) =>
      run(async () => {
        await requireDirectory()
        for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
          const file = join(entry.parentPath, entry.name)
          if (entry.isFile() && PARTIAL.test(entry.name) && now - (await stat(file)).mtimeMs > ABANDONED_MS) await rm(file, { force: true })
        }
        if (await exists(join(path, MARK))) await utimes(join(path, MARK), now / 1_000, now / 1_000)
      }),
  }
}

const KINDS: Readonly<Record<string, PlaceErrorKind>> = { ENOSPC: 'full', EDQUOT: 'full', EACCES: 'denied', EPERM: 'denied', EROFS: 'denied', ENOENT: 'address', ENOTDIR: 'address' }
const REMEDIES: Readonly<Partial<Record<PlaceErrorKind, string>>> = {
  full: 'make room there, or keep fewer with --offsite-keep',
  denied: 'let the user of the service write there',
  address: 'mount the disk, or correct the address',
  missing: 'it was removed, or its upload never ended',
}

function asPlaceError(error: unknown, name: string, ifAbsent: PlaceErrorKind = 'address'): PlaceError {
  if (error instanceof PlaceError) return error
  const code = errorCode(error)
  if (code === '') throw error
  const kind = code === 'ENOENT' ? ifAbsent : (KINDS[code] ?? 'network')
  return new PlaceError(kind, `${name}: ${systemReason(error)}: ${REMEDIES[kind] ?? 'check the disk and its connection; the service retries by itself'}`, error)
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
