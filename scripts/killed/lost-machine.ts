/**
 * `npm run drill -- offsite [SECONDS] [KILLS]`: writers write to a service with off-site backups, whose place misbehaves and which is
 * killed with SIGKILL meanwhile. Then the machine is lost with its disk, and the site is restored elsewhere: newest, and as of
 * some times. At most 60 seconds of acknowledged writes may be gone, none may be out of order, and each time has to be exact.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { s3Server, type Fault } from '../tools/offsite/s3-server.ts'
import { run } from '../tools/program.ts'
import { temporaryDirectory } from '../tools/temporary-directory.ts'
import { inSoundDatabase, startKilledSite, type Drill } from './killed-site.ts'

const WRITERS = 4
const PAUSE_MS_MAX = 60
const LOST_MS_MAX = 60_000
const TIMES = 3
/** One of so many requests at the place fails. */
const FAULT_ODDS = 12
const FAULTS: readonly Fault[] = [{ kind: 'lost' }, { kind: 'cut' }, { kind: 'truncated' }, { kind: 'error', status: 500 }, { kind: 'error', status: 503, code: 'SlowDown' }, { kind: 'slow', ms: 300 }]

interface Acknowledged {
  readonly name: string
  readonly at: number
}

/** Gives what happened. Throws what should not have. */
export async function drillOffsite({ cleanup, random }: Drill, seconds: number, kills: number): Promise<readonly string[]> {
  const directory = temporaryDirectory(cleanup)
  const [data, key, keys] = [join(directory, 'data'), join(directory, 'key.txt'), join(directory, 'keys.txt')]
  writeFileSync(keys, 'AKID:secret/key+of=tests\n', { mode: 0o600 })
  mkdirSync(data, { mode: 0o700 })
  assert.equal((await run(['backup', 'key', '--data-dir', data, '--to', key])).code, 0)
  const server = await s3Server(cleanup, { fault: () => (random.oneIn(FAULT_ODDS) ? random.pick(FAULTS) : undefined) })
  const place = `s3://backups/site?endpoint=${server.endpoint}`
  const words = ['--offsite', place, '--offsite-keys-file', keys, '--outbound-allow', '127.0.0.1', '--outbound-proxy', 'none', '--offsite-every', '10m']
  const site = await startKilledSite(cleanup, { data, words })
  const begunAt = Date.now()
  const acknowledged: Acknowledged[] = []
  const written = Array.from({ length: WRITERS }, () => 0)
  const isOver = AbortSignal.timeout(seconds * 1_000)
  /** One write after the other; what is not acknowledged is written again under the same name. */
  const writing = site.keepSending(WRITERS, isOver, async (writer) => {
    await pause(random.below(PAUSE_MS_MAX))
    const name = `${writer}-${String(written[writer]).padStart(6, '0')}`
    const response = await site.call('POST', '/data?model=topic', { name, description: 'Written by the drill.', iconUrl: 'https://example.org/icon.png' })
    if (response.status === 201) {
      acknowledged.push({ name, at: Date.now() })
      written[writer]!++
    }
    await response.arrayBuffer()
  })
  await site.killRepeatedly(random, kills, (seconds * 1_000) / kills)
  await writing
  const lostAt = Date.now()
  const stored = server.objects.size
  // The process has no time for a last upload.
  process.kill(Number((JSON.parse(readFileSync(join(data, 'owner.json'), 'utf8')) as { pid: number }).pid), 'SIGKILL')
  rmSync(data, { recursive: true })

  const restore = async (name: string, at?: number): Promise<readonly Row[]> => {
    const target = join(directory, name)
    const time = at === undefined ? [] : ['--at', new Date(at).toISOString()]
    const ended = await run(['restore', '--data-dir', target, '--from', place, '--identity', key, '--offsite-keys-file', keys, '--outbound-allow', '127.0.0.1', '--outbound-proxy', 'none', '--yes', ...time])
    assert.equal(ended.code, 0, ended.stderr)
    return rowsOf(target)
  }
  const newest = await restore('newest')
  requirePrefixes(newest, acknowledged)
  const names = new Set(newest.map((row) => row.name))
  const lost = acknowledged.filter(({ name }) => !names.has(name))
  const lostMs = lost.length === 0 ? 0 : lostAt - Math.min(...lost.map(({ at }) => at))
  assert.ok(lostMs <= LOST_MS_MAX, `writes that were acknowledged ${lostMs} ms before the loss are gone`)
  const end = Math.max(...newest.map(({ createdAt }) => createdAt))
  const firstSnapshot = begunAt + 5_000
  for (let n = 0; n < TIMES; n++) {
    const at = firstSnapshot + random.below(Math.max(1, end - firstSnapshot))
    const rows = await restore(`at-${n}`, at)
    requirePrefixes(rows, acknowledged)
    const found = new Set(rows.map((row) => row.name))
    assert.ok(rows.every(({ createdAt }) => createdAt <= at), 'a write of later than the time is there')
    const missing = acknowledged.filter((one) => one.at <= at && !found.has(one.name))
    assert.deepEqual(missing, [], `writes that were acknowledged by ${new Date(at).toISOString()} are not there`)
  }
  return [
    `${acknowledged.length} writes were acknowledged in ${seconds} s, over ${kills} kills; ${server.calls.length} requests reached the place, which had ${stored} objects`,
    `the loss of the machine cost ${lost.length} of them, the last ${(lostMs / 1_000).toFixed(1)} s; ${TIMES} times of the past were exact`,
  ]
}

interface Row {
  readonly name: string
  readonly createdAt: number
}

function rowsOf(data: string): readonly Row[] {
  const sql = "SELECT doc ->> '$.name' AS name, doc ->> '$.createdAt' AS at FROM topic WHERE doc ->> '$.description' = 'Written by the drill.'"
  return inSoundDatabase(data, (database) =>
    database.all(sql).map(({ name, at }) => ({ name: String(name), createdAt: Date.parse(String(at)) })),
  )
}

/** What each writer wrote is there up to a point, and nothing behind it: none was lost between others. */
function requirePrefixes(rows: readonly Row[], acknowledged: readonly Acknowledged[]): void {
  assert.ok(acknowledged.length > 20, 'nothing was written')
  for (let writer = 0; writer < WRITERS; writer++) {
    const found = new Set(rows.filter(({ name }) => name.startsWith(`${writer}-`)).map(({ name }) => Number(name.slice(2))))
    assert.equal(found.size, Math.max(-1, ...found) + 1, `writer ${writer} has a hole`)
  }
}
