/**
 * The database of a first start, made once for this process and kept in memory: a service that finds it has its tables,
 * countries, languages and remote configuration already, which are most of the work of a first start.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../../src/base/version.ts'
import { readConfig } from '../../../src/config/read-config.ts'
import { seedBasics } from '../../../src/content/seeds/seeding.ts'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import { databaseFile, prepareDataDir } from '../../../src/store/sqlite/data-dir.ts'
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { suiteCleanup, temporaryDirectory } from '../../../scripts/tools/temporary-directory.ts'

const { flagBaseUrl } = readConfig(new Map(), {})
let bytes: Promise<Buffer> | undefined

/** Puts the database into a data directory that is not there yet, where its seeds are those of the settings. */
export async function placeSeededDatabase(directory: string, settings: { readonly flagBaseUrl: string }): Promise<void> {
  if (existsSync(directory) || settings.flagBaseUrl !== flagBaseUrl) return
  const content = await (bytes ??= seededDatabase())
  mkdirSync(directory, { mode: 0o700, recursive: true })
  writeFileSync(databaseFile(directory), content, { mode: 0o600 })
  // Whatever the umask of the test is.
  chmodSync(databaseFile(directory), 0o600)
}

async function seededDatabase(): Promise<Buffer> {
  let removeAll = (): Promise<void> => Promise.resolve()
  const directory = join(temporaryDirectory(suiteCleanup((work) => void (removeAll = work))), 'data')
  try {
    const dir = prepareDataDir(directory)
    const owner = { pid: process.pid, startedAt: '' }
    const store = openStore({ dir, models: STORED_MODELS, version: VERSION, now: Date.now, owner })
    await seedBasics(store, { flagBaseUrl })
    await store.close()
    return readFileSync(dir.database)
  } finally {
    await removeAll()
  }
}
