/**
 * `npm run bench -- offsite [N]`: how long a snapshot of N headlines (default 100,000) takes with its proof, and how long
 * `dateline restore --from` takes for it and a thousand commits behind it, on an empty data directory.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempDisposableSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseRecipientsFile } from '../../src/age/age-keys.ts'
import { systemClock } from '../../src/base/clock.ts'
import { VERSION } from '../../src/base/version.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { topic } from '../../src/models/topic.ts'
import { openPlace } from '../../src/offsite/open-place.ts'
import { parsePlace } from '../../src/offsite/place-address.ts'
import { storeChanges, storeSnapshot } from '../../src/offsite/storing.ts'
import { parseOutboundAllow } from '../../src/outbound/outbound-allow.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { databaseFile } from '../../src/store/db/data-dir.ts'
import { newChainId } from '../../src/store/pending/pending-changes.ts'
import { run } from '../tools/program.ts'
import { openBenchServices } from './bench-services.ts'
import { fillDirectory } from './filled-service.ts'

const HEADLINES_DEFAULT = 100_000
const COMMITS = 1_000

export async function benchOffsite([count = String(HEADLINES_DEFAULT)]: readonly string[]): Promise<void> {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'dateline-bench-'))
  const [data, nas, key, restored] = ['data', 'nas', 'key.txt', 'restored'].map((name) => join(temporary.path, name)) as [string, string, string, string]
  mkdirSync(nas)
  await fillDirectory(data, Number(count))
  assert.equal((await run(['backup', 'key', '--data-dir', data, '--to', key])).code, 0)
  const database = databaseFile(data)
  const rules = { allow: parseOutboundAllow(''), proxyFor: () => undefined, ca: [] }
  const place = openPlace(parsePlace(pathToFileURL(nas).href), { keys: new Map(), rules, rate: undefined, wasUsed: false, now: systemClock })
  const storing = { place, recipients: parseRecipientsFile(readFileSync(join(data, 'backup-recipients'), 'utf8')), now: systemClock }
  const { store } = await openBenchServices(data)
  const own = store.as(SYSTEM)
  await own.continueChain(newChainId())
  const stored = await storeSnapshot(storing, { database, copy: join(data, 'copy.db'), beside: [], version: VERSION, models: STORED_MODELS, lastAt: 0, isWholeProofDue: true })
  for (let n = 0; n < COMMITS; n++) {
    const now = new Date(systemClock()).toISOString()
    await own.insert(topic, { id: `bench-${n}`, value: { id: `bench-${n}`, name: `Topic ${n}`, description: '', iconUrl: 'https://example.org/i.png', createdAt: now, updatedAt: now, status: 'draft' } })
  }
  const changes = await storeChanges(storing, { database, chain: stored.chain, after: stored.seq, upTo: stored.seq + COMMITS, snapshot: stored, looksForFork: true })
  assert.equal(changes?.seq, stored.seq + COMMITS)
  await store.close()
  const since = performance.now()
  const ended = await run(['restore', '--data-dir', restored, '--from', place.name, '--identity', key, '--yes'])
  assert.equal(ended.code, 0, ended.stderr)
  const seconds = (performance.now() - since) / 1_000
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`
  console.log(`${count} headlines, ${megabytes(statSync(database).size)}: a snapshot of ${megabytes(stored.bytes)} with its proof in ${(stored.ms / 1_000).toFixed(1)} s`)
  console.log(`restored with ${COMMITS} commits in ${seconds.toFixed(1)} s`)
}
