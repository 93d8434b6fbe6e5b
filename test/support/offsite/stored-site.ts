/** A site at a place of off-site backups, whose machine is lost. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { copyMade, madeOnce } from '../../../scripts/tools/made-once.ts'
import { samplePicture } from '../../../scripts/tools/media/sample-pictures.ts'
import { temporaryDirectory, type Cleanup } from '../../../scripts/tools/temporary-directory.ts'
import { openDatabase } from '../../../src/store/db/database.ts'
import { runHere } from '../service/in-process.ts'
import { startService } from '../service/service.ts'

export interface StoredSite {
  readonly dir: string
  readonly place: string
  readonly key: string
  readonly renamedAt: string
  readonly token: string
}

/** A site with a topic that was renamed once, its place, and its key: a copy of one that is made once. */
export async function storedSite(t: Cleanup): Promise<StoredSite> {
  const made = await madeOnce(newSite, (directory) => newSite(t, directory))
  const dir = join(temporaryDirectory(t), 'site')
  copyMade(made.dir, dir)
  return { ...made, dir, place: pathToFileURL(join(dir, 'nas')).href, key: join(dir, 'key.txt') }
}

/** The same in an empty directory, as the place that its service knows. */
export async function newSite(t: Cleanup, dir: string): Promise<StoredSite> {
  const [nas, key] = [join(dir, 'nas'), join(dir, 'key.txt')]
  mkdirSync(nas)
  assert.equal((await runHere(['backup', 'key', '--data-dir', join(dir, 'data'), '--to', key])).code, 0)
  const place = pathToFileURL(nas).href
  // A service that knows a place begins its first snapshot as it starts: the topic is there before.
  const start = Date.now()
  const before = await startService(t, {}, { directory: dir, start, isHere: true })
  const { token } = await before.admin()
  const fields = { description: 'Ships.', iconUrl: 'https://example.org/i.png' }
  const made = await before.data('POST', '', { model: 'topic' }, { token, body: { name: 'Harbours', ...fields } })
  await before.stop()
  const service = await startService(t, { offsite: place }, { directory: dir, start, isHere: true })
  await service.app.offsite.wake()
  service.advance(60_000)
  const renamedAt = new Date(service.now()).toISOString()
  service.advance(1)
  const renamed = await service.data('PUT', `/${String(made.at('data.id'))}`, { model: 'topic' }, { token, body: { name: 'Ports', status: 'active', ...fields } })
  assert.equal(renamed.status, 200, renamed.text)
  const sent = await fetch(`${service.url}/api/v1/media`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: new Uint8Array(samplePicture('gif animated')) })
  assert.equal(sent.status, 201)
  await service.app.offsite.wake()
  await service.stop()
  return { dir, place, key, renamedAt, token }
}

/** The names of its topics. */
export function topicsOf(data: string): readonly unknown[] {
  const database = openDatabase(join(data, 'dateline.db'), { readOnly: true })
  try {
    return database.all("SELECT doc ->> '$.name' AS name FROM topic").map(({ name }) => name)
  } finally {
    database.close()
  }
}
