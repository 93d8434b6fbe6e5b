// also: cache-off threads
/**
 * Remembered reads are never old: whatever is written, by whichever path, every later response holds it.
 *
 * Planted bugs show that the comparison finds what it is for: a trigger that is missing stands for a write that forgot to
 * move the version of its model.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openDatabase } from '../../src/store/db/database.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfRun } from '../../scripts/tools/random.ts'
import { readDifference, SETTINGS_COMPARED } from '../support/service/read-difference.ts'
import { run } from '../../scripts/tools/program.ts'
import { TOPIC } from '../../scripts/tools/data-bodies.ts'
import { databaseOf, startService, type ApiResponse, type TestService } from '../support/service/service.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'

const ROUNDS = longRun(50, 250)
const READS_AFTER_WRITE = 4

/** Random writes and reads. Returns the first difference, and how responses came. */
async function compare(
  t: Cleanup,
  { forgets, rounds = ROUNDS }: { readonly forgets?: string; readonly rounds?: number } = {},
): Promise<{ difference: string | undefined; seen: ReadonlyMap<string, number> }> {
  const service = await startService(t, SETTINGS_COMPARED)
  const random = seededRandom(seedOfRun())
  const { write, read, seen } = await readDifference(t, service, random)
  if (forgets !== undefined) {
    const database = openDatabase(databaseOf(service))
    for (const event of ['INSERT', 'UPDATE', 'DELETE']) database.exec(`DROP TRIGGER "${forgets}/version ${event}"`)
    database.close()
  }
  for (let round = 0; round < rounds; round++) {
    const way = await write()
    for (let i = 0; i < READS_AFTER_WRITE; i++) {
      const difference = await read()
      if (difference !== undefined) return { difference: `SEED=${random.seed}, after ${way}: ${difference}`, seen }
    }
  }
  return { difference: undefined, seen }
}

describe('a read after any write', () => {
  it('holds what is stored at that moment, in every coding and as a 304', async (t) => {
    const { difference, seen } = await compare(t)
    assert.equal(difference, undefined)
    // What is not kept is compressed only while the machine has time.
    const kept = process.env['DATELINE_CACHE_MB'] === '0' ? [] : ['gzip', 'br', 'zstd']
    for (const how of ['identity', '304', ...kept]) {
      assert.ok((seen.get(how) ?? 0) > 0, `some response came as ${how}: ${JSON.stringify([...seen])}`)
    }
  })

  it('holds every write that was confirmed before it began, whichever connections read and write', async (t) => {
    const service = await startService(t)
    const { token } = await service.admin()
    const made = await service.data('POST', '', { model: 'topic' }, { token, body: { ...TOPIC, description: '0' } })
    const id = String(made.at('data.id'))
    const other = openDatabase(databaseOf(service))
    t.after(() => other.close())
    let [confirmed, isOver] = [0, false]
    const write = async (): Promise<void> => {
      for (let n = 1; n <= longRun(40, 150); n++) {
        const body = { ...TOPIC, id, description: String(n) }
        const sql = `UPDATE topic SET doc = json_set(doc, '$.description', ?) WHERE id = ?`
        if (n % 3 === 0) other.run(sql, String(n), id)
        else assert.equal((await service.data('PUT', `/${id}`, { model: 'topic' }, { token, body })).status, 200)
        confirmed = n
        await turn()
      }
      isOver = true
    }
    let reads = 0
    const read = async (target: string, place: string): Promise<void> => {
      let tag = ''
      let known = 0
      while (!isOver) {
        const atLeast = confirmed
        const headers = { 'if-none-match': tag === '' ? '"none"' : tag, 'accept-encoding': 'gzip' }
        const response = await service.data('GET', target, { model: 'topic' }, { token, headers })
        if (response.status === 200) known = Number(response.at(place))
        tag = response.headers.get('etag') ?? ''
        assert.ok(known >= atLeast, `${response.status}: expected ${atLeast} or later, found ${known}`)
        reads++
      }
    }
    const readers = Array.from({ length: 4 }, () => [read('', 'data.items[0].description'), read(`/${id}`, 'data.description')])
    await Promise.all([write(), ...readers.flat()])
    assert.ok(reads > 40, `${reads} reads`)
  })

  it('is not taken for a version of a database that was restored since', async (t) => {
    const before = await startService(t)
    const { directory } = before
    const { token } = await before.admin()
    const read = (service: TestService, tag?: string): Promise<ApiResponse> =>
      service.data('GET', '', { model: 'topic' }, { token, headers: tag === undefined ? {} : { 'if-none-match': tag } })
    const write = async (service: TestService, name: string): Promise<void> => {
      const made = await service.data('POST', '', { model: 'topic' }, { token, body: { ...TOPIC, name } })
      assert.equal(made.status, 201, made.text)
    }
    await before.stop()
    const copy = readFileSync(databaseOf(before))
    const first = await startService(t, {}, { directory })
    await write(first, 'lost')
    const tag = (await read(first)).headers.get('etag') ?? ''
    assert.equal((await read(first, tag)).status, 304)
    await first.stop()
    writeFileSync(databaseOf(before), copy)
    const second = await startService(t, {}, { directory })
    await write(second, 'kept')
    const kept = await read(second, tag)
    assert.equal(kept.status, 200, 'the same version, and other documents')
    assert.match(kept.text, /"kept"/)
  })

  it('holds what an import in another process has written', async (t) => {
    const service = await startService(t)
    const { token } = await service.admin()
    const read = (): Promise<ApiResponse> => service.data('GET', '', { model: 'topic' }, { token })
    for (const name of ['First', 'Second']) {
      for (let i = 0; i < 3; i++) await read()
      const words = ['import', '-', '--model', 'topic', '--data-dir', join(service.directory, 'data')]
      const { code, stderr } = await run(words, { input: `${JSON.stringify({ ...TOPIC, name })}\n` })
      assert.equal(code, 0, stderr)
      assert.equal((await read()).at('data.items[0].name'), name)
    }
  })

  for (const forgets of ['topic', 'headline', 'source', 'remote_config', 'user'].slice(0, longRun(1, 5))) {
    it(`is found to be old where writes forget the version of ${forgets}`, async (t) => {
      const { difference } = await compare(t, { forgets, rounds: 1_000 })
      assert.ok(difference !== undefined, 'a planted bug must be found')
    })
  }
})

it('a query that cannot be answered is a 400, whatever is remembered and whatever the client has', async (t) => {
  const service = await startService(t)
  const { token } = await service.admin()
  const list = async (query: Record<string, unknown>, headers: Record<string, string> = {}): Promise<number> =>
    (await service.data('GET', '', { model: 'topic', ...query }, { token, headers })).status
  for (let i = 0; i < 3; i++) assert.equal(await list({}), 200)
  assert.equal(await list({}, { 'If-None-Match': '*' }), 304)
  for (const query of [{ filter: 'null' }, { filter: '{"$bad":1}' }, { sort: 'a:b:c' }, { limit: '-1' }, { cursor: 'x' }]) {
    for (let i = 0; i < 3; i++) {
      assert.equal(await list(query), 400)
      assert.equal(await list(query, { 'If-None-Match': '*' }), 400)
    }
  }
})
