/**
 * A service whose disk fills up: writes get 503, reads succeed, nothing that was acknowledged is lost, also by a process
 * that is killed then, and writes go on as soon as there is room.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../tools/program.ts'
import { noSmallDisk, smallDisk } from '../tools/small-disk.ts'
import type { Cleanup } from '../tools/temporary-directory.ts'
import { inSoundDatabase, startKilledSite } from './killed-site.ts'

const DISK_MB = 24
const BALLAST_BYTES = 8 * 2 ** 20

/** Gives what happened. Throws what should not have. */
export async function drillFullDisk(cleanup: Cleanup): Promise<string> {
  if (noSmallDisk !== false) return `full disk: skipped, ${noSmallDisk}`
  const disk = smallDisk(cleanup, DISK_MB)
  const data = mkdtempSync(join(disk, 'data-'))
  writeFileSync(join(disk, 'ballast'), Buffer.alloc(BALLAST_BYTES))
  const site = await startKilledSite(cleanup, { data })
  const ids: string[] = []
  const write = async (): Promise<number> => {
    const topic = { name: 'Full', description: 'd', iconUrl: 'https://e.org/i', text: 'x'.repeat(200_000) }
    const response = await site.call('POST', '/data?model=topic', topic)
    const body = (await response.json()) as { data?: { id: string }; error?: { code: string } }
    if (response.status === 201) ids.push(body.data?.id ?? '')
    else assert.deepEqual([response.status, body.error?.code], [503, 'networkError'])
    return response.status
  }
  const readAll = async (): Promise<void> => {
    for (const id of ids) {
      const response = await site.call('GET', `/data/${id}?model=topic`)
      assert.equal(response.status, 200, `topic ${id} was acknowledged`)
      await response.arrayBuffer()
    }
  }
  while ((await write()) === 201) assert.ok(ids.length < 500)
  assert.ok(ids.length > 5)
  const acknowledged = ids.length
  for (let i = 0; i < 5; i++) await write()
  await readAll()
  const backup = await run(['backup', '--data-dir', data])
  assert.equal(backup.code, 1)
  assert.match(backup.stderr, /^Cannot back up [^\n]*(?:MB are needed: make room|the disk is full)[^\n]*\n$/)
  assert.equal((await run(['check', '--data-dir', data])).code, 1)
  rmSync(join(disk, 'ballast'))
  assert.equal(await write(), 201, 'there is room again')
  await readAll()
  while ((await write()) === 201) assert.ok(ids.length < 500)
  await site.kill()
  await readAll()
  inSoundDatabase(data, () => {})
  return `full disk: ${acknowledged} writes until it was full, ${ids.length} in all, none lost`
}
