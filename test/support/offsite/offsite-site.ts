/** A store with off-site backups of its own, as the service has them, and what a restore makes of them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { s3Server, type S3Server, type S3ServerOptions } from '../../../scripts/tools/offsite/s3-server.ts'
import { testStore, type SystemStore } from '../../../scripts/tools/stores.ts'
import { temporaryDirectory, type Cleanup } from '../../../scripts/tools/temporary-directory.ts'
import { newIdentity, parseIdentity } from '../../../src/age/age-keys.ts'
import { createLog } from '../../../src/base/log.ts'
import { STORED_MODELS } from '../../../src/models/registry.ts'
import { PICTURES } from '../../../src/offsite/object-keys.ts'
import { startOffsite, type OffsiteSettings } from '../../../src/offsite/offsite-work.ts'
import { parsePlaces } from '../../../src/offsite/place-address.ts'
import { findRestorable, restoreSite } from '../../../src/offsite/restoring.ts'
import { DEFAULT_RETENTION } from '../../../src/offsite/retention.ts'
import { openDatabase } from '../../../src/store/db/database.ts'
import { hashOfBytes, pictureFiles } from '../../../src/store/media/picture-files.ts'
import type { PictureName } from '../../../src/store/media/picture-table.ts'
import { bucketOn, KEYS } from './places.ts'

export const SECRET = 'a secret of the site that must never leave in the clear'
export const KEY = newIdentity()
export const IDENTITIES = [parseIdentity(KEY.identity)]
export const aTopic = (id: string, name = id) => ({ id, value: { id, name, status: 'active' as const, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' } })

export interface Site {
  readonly store: SystemStore
  readonly server: S3Server
  readonly work: ReturnType<typeof startOffsite>
  readonly lines: string[]
  readonly clock: { now: number }
  readonly dataDir: string
  readonly settings: { -readonly [K in keyof OffsiteSettings]: OffsiteSettings[K] }
}

export async function siteOn(t: Cleanup, options: S3ServerOptions & { readonly hasKey?: boolean } = {}): Promise<Site> {
  const server = await s3Server(t, options)
  const { store, dir } = testStore(t)
  if (options.hasKey !== false) writeFileSync(join(dir.path, 'backup-recipients'), `${KEY.recipient}\n`)
  mkdirSync(join(dir.path, 'templates'))
  writeFileSync(join(dir.path, 'templates', 'sign-in.en.json'), '{"subject":"Hello"}')
  const settings = { places: parsePlaces(`s3://backups/site?endpoint=${server.endpoint}`), keys: () => KEYS, everyMs: 6 * 3_600_000, retention: DEFAULT_RETENTION, rate: undefined }
  const clock = { now: Date.now() }
  let isKnown = false
  const { work, lines } = workOn(t, { store, dataDir: dir.path, settings, clock }, () => isKnown)
  const wake = (): Promise<void> => {
    isKnown = true
    return work.wake()
  }
  return { store, server, work: { ...work, wake }, lines, clock, dataDir: dir.path, settings }
}

/** Work that knows its place while `isKnown`. */
export function workOn(t: Cleanup, { store, dataDir, settings, clock }: Pick<Site, 'store' | 'dataDir' | 'settings' | 'clock'>, isKnown = () => true) {
  const lines: string[] = []
  const log = createLog({ level: 'debug', format: 'json', now: () => clock.now, write: (line) => void lines.push(line) })
  const work = startOffsite({
    ...{ store, dataDir, database: join(dataDir, 'dateline.db'), settings: () => (isKnown() ? settings : { ...settings, places: [] }), secrets: [SECRET], isOnDuty: undefined, now: () => clock.now, log },
    outbound: { allow: '127.0.0.0/8', outboundProxy: 'none', outboundCa: undefined, environment: {} },
    givenSettings: () => '[]',
  })
  t.after(() => work.stop())
  return { work, lines }
}

export const PICTURE_BYTES = 100_000
export const filesIn = (dataDir: string) => pictureFiles(join(dataDir, 'media'))
export const storedPictures = (site: Site): string[] => objectsOf(site).map(({ key }) => key).filter((key) => key.startsWith(PICTURES))
export const picturesSent = ({ server }: Site): number => server.calls.filter(({ method, path }) => method === 'PUT' && path.includes(PICTURES)).length
let pictures = 0

/** A picture that shows a text, one of the next second each. */
export async function addPicture({ store, dataDir }: Site, text: string): Promise<PictureName> {
  const bytes = Buffer.alloc(PICTURE_BYTES, `a picture ${text} `)
  const name: PictureName = { hash: hashOfBytes(bytes), format: 'jpeg' }
  await filesIn(dataDir).write(name, bytes)
  await store.addPicture({ ...name, bytes: bytes.length, width: 1, height: 1, frames: 1, alt: '', focus: undefined, createdAt: ++pictures * 1_000, actor: undefined }, 2 ** 30)
  return name
}

export const objectsOf = ({ server }: Pick<Site, 'server'>) => [...server.objects].map(([key, bytes]) => ({ key: key.replace('site/', ''), bytes: bytes.length })).sort((a, b) => (a.key < b.key ? -1 : 1))

export async function restored(t: Cleanup, { server }: Pick<Site, 'server'>, until?: number) {
  const place = bucketOn(server, { prefix: 'site' })
  const directory = temporaryDirectory(t)
  const found = await findRestorable(place, IDENTITIES, until)
  const site = await restoreSite(found, { place, identities: IDENTITIES, until, directory, models: STORED_MODELS })
  const database = openDatabase(site.file, { readOnly: true })
  try {
    const topics = database.all("SELECT id, doc ->> '$.name' AS name FROM topic ORDER BY id").map(({ id, name }) => `${String(id)} ${String(name)}`)
    return { ...site, found, topics }
  } finally {
    database.close()
  }
}
