/**
 * The database of a first start: a service that finds it has its tables, countries, languages and remote configuration
 * already, which are most of the work of a first start.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { copyMade, madeOnce } from '../../../scripts/tools/made-once.ts'
import { VERSION } from '../../../src/base/version.ts'
import { readConfig } from '../../../src/config/read-config.ts'
import { seedBasics } from '../../../src/content/seeds/seeding.ts'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import { databaseFile, prepareDataDir } from '../../../src/store/db/data-dir.ts'
import { openStore } from '../../../src/store/open-store.ts'

const { flagBaseUrl } = readConfig(new Map(), {})

/** Puts the database into a data directory that is not there yet, where its seeds are those of the settings. */
export async function placeSeededDatabase(directory: string, settings: { readonly flagBaseUrl: string }): Promise<void> {
  if (existsSync(directory) || settings.flagBaseUrl !== flagBaseUrl) return
  const made = await madeOnce(seedBasics, seededDatabase)
  mkdirSync(directory, { mode: 0o700, recursive: true })
  copyMade(made, databaseFile(directory))
}

async function seededDatabase(directory: string): Promise<string> {
  const dir = prepareDataDir(join(directory, 'data'))
  const owner = { pid: process.pid, startedAt: '' }
  const store = openStore({ dir, models: STORED_MODELS, version: VERSION, now: Date.now, owner })
  await seedBasics(store, { flagBaseUrl })
  await store.close()
  return dir.database
}
