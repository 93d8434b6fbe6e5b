/**
 * A copy of another node's database, fetched beside our own and put in its place at the next start, while no part of this
 * process has the old one open.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import type { Clock } from '../../base/clock.ts'
import { syncDirectory } from '../../base/directory.ts'
import type { Log } from '../../base/log.ts'
import { systemReason } from '../../base/system-error.ts'
import { downloadSnapshot } from '../../cluster/peer-requests.ts'
import type { KnownNode } from '../../cluster/membership.ts'
import { filePosition } from '../../store/cluster/position-table.ts'
import { removeFilesBeside } from '../../store/db/database-files.ts'
import { databaseFile, DataDirError, ownDataDir, type DataDir, type Owner } from '../../store/db/data-dir.ts'

const fetchedFile = (directory: string): string => `${databaseFile(directory)}.fetched`

interface FetchOptions {
  readonly ca: string | undefined
  readonly node: string
  readonly signKey: Buffer
  readonly directory: string
  readonly site: string
  readonly signal: AbortSignal
  readonly onProgress?: (share: number) => void
  readonly now: Clock
  readonly log: Log
}

/** Fetches a copy from the first peer that gives one. Rejects with an Error that says why there is none. */
export async function fetchCopy(peers: readonly KnownNode[], options: FetchOptions): Promise<void> {
  const { directory, site, ca, signal, log, ...request } = options
  const fetched = fetchedFile(directory)
  const partial = `${fetched}.partial`
  const reasons: string[] = []
  for (const { node, url } of peers) {
    if (url === undefined) continue
    try {
      rmSync(partial, { force: true })
      await downloadSnapshot({ url, ca, signal }, { ...request, to: node, file: partial })
      requireOfSite(partial, site, url)
      renameSync(partial, fetched)
      syncDirectory(directory)
      log.info('cluster.copy_fetched', { from: node })
      return
    } catch (error) {
      reasons.push(systemReason(error))
    }
  }
  throw new Error(`no node gives a copy of its data: ${reasons.length === 0 ? 'none is known that has a URL' : reasons.join('; ')}`)
}

function requireOfSite(file: string, site: string, url: string): void {
  const found = filePosition(file)
  removeFilesBeside(file)
  if (found?.site !== site) throw new Error(`The copy of ${url} is not of this site`)
}

/** Puts a copy that was fetched in the place of the database. Throws DataDirError where a process uses the directory. */
export function adoptCopy(dir: DataDir, owner: Owner): void {
  const fetched = fetchedFile(dir.path)
  if (!existsSync(fetched)) return
  const lock = ownDataDir(dir, owner)
  try {
    removeFilesBeside(dir.database)
    renameSync(fetched, dir.database)
    syncDirectory(dir.path)
  } catch (error) {
    throw new DataDirError(`Cannot put the fetched copy in the place of "${dir.database}": ${systemReason(error)}`, { cause: error })
  } finally {
    lock.release()
  }
}
