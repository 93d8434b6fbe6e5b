/**
 * The offline protocol before the client that it is for: RxDB, with replicateServer() of rxdb-server, from npm. Each check is a
 * sentence, and the first that fails ends all.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { JsonObject } from '../../../src/base/json.ts'
import { newCast, newPerson, type Cast, type Person } from '../../../test/support/cast.ts'
import { runHere } from '../../../test/support/service/in-process.ts'
import { bodyOf } from '../../tools/data-bodies.ts'
import { freePorts } from '../../tools/free-ports.ts'
import { run, serve, type RunningService } from '../../tools/program.ts'
import { startService, type TestService, type TestSettings } from '../../../test/support/service/service.ts'
import { temporaryDirectory, type Cleanup } from '../../tools/temporary-directory.ts'
import type { Conformance } from '../conformance.ts'
import { within } from '../../tools/within.ts'
import { npmTools } from '../fetched-tools.ts'
import { loadRxdb, type Replication, type Rxdb, type RxCollection } from './rxdb-client.ts'

/** rxdb-server holds the plugin replication-server; its module cannot be loaded beside rxdb 17. */
const PACKAGES = { rxdb: '16.21.1', 'rxdb-server': '15.22.0', rxjs: '7.8.2' }
const HEADLINES = 10_000
const WAIT_MS_MAX = 20_000
const LOOK_MS = 20
const CHECK_MS_MAX = 60_000

/** What the checks share: the service, which is stopped and started again, and its people. */
interface World {
  /** Where npm has installed the packages. */
  readonly directory: string
  readonly dataDir: string
  readonly rxdb: Rxdb
  readonly cast: Cast
  service: TestService
  restart(meanwhile?: () => Promise<void>): Promise<void>
  /** Starts the service as a process of its own, at the same URL, while the one of the checks is stopped. */
  startProcess(): Promise<RunningService>
}

const CHECKS: readonly (readonly [what: string, check: (world: World) => Promise<void>])[] = [
  [`${HEADLINES} documents arrive, and what changes afterwards`, copyAndFollow],
  ['offline edits, conflicts and deletions', offlineEdits],
  ['a client and a service that start again go on where they were', startAgain],
  ['a service that is killed while it is written to loses nothing that it has acknowledged', killed],
  ['a publisher creates headlines under ids of its own', pushByPublisher],
  ['a guest pushes no headline, and learns that it may not', pushByGuest],
  ['settings and preferences are those of the user who asks', ownSettings],
  ['the example runs as it is', runExample],
  ['a session that ends asks for another one', signOut],
  ['an app of another version learns that it is outdated', outdated],
]

export const SYNC: Conformance = {
  checks: {
    async rxdb({ cleanup, say }) {
      const world = await createWorld(npmTools({ name: 'sync', packages: PACKAGES }), cleanup)
      for (const [what, check] of CHECKS) {
        // RxDB may wait for ever for what it has lost.
        await within(CHECK_MS_MAX, check(world))
        say(what)
      }
    },
  },
}

async function createWorld(packages: string, cleanup: Cleanup): Promise<World> {
  const rxdb = await loadRxdb(packages)
  const directory = temporaryDirectory(cleanup)
  const dataDir = join(directory, 'data')
  const first = await startService(cleanup, {}, { directory })
  const cast = await newCast(first)
  const port = (await freePorts(1)).join()
  await importHeadlines(first, cast.admin, directory)
  const settings: TestSettings = { port, hideInactive: 'on' }
  const world: World = {
    ...{ directory: packages, dataDir, rxdb, cast, service: first },
    async restart(meanwhile) {
      const start = world.service.now() + 60_000
      await world.service.stop()
      await meanwhile?.()
      world.service = await startService(cleanup, settings, { directory, start })
    },
    startProcess: () => serve(cleanup, ['--data-dir', dataDir, '--port', port, '--hide-inactive', 'on']),
  }
  await first.stop()
  world.service = await startService(cleanup, settings, { directory })
  return world
}

/** All of one topic, source and country, as the service embeds them. */
async function importHeadlines(service: TestService, { token }: Person, directory: string): Promise<void> {
  const made = await service.data('POST', '', { model: 'headline' }, { token, body: bodyOf('headline') })
  assert.equal(made.status, 201, made.text)
  const { id: _, ...body } = made.at('data') as JsonObject
  const rows = Array.from({ length: HEADLINES - 1 }, (_, i) => JSON.stringify({ ...body, id: idOf(i), title: `Headline ${i}` }))
  const file = join(directory, 'headlines.ndjson')
  writeFileSync(file, `${rows.join('\n')}\n`)
  const { code, stderr } = await runHere(['import', '--data-dir', join(directory, 'data'), '--model', 'headline', file])
  assert.equal(code, 0, stderr)
}

const idOf = (i: number): string => i.toString(16).padStart(24, '0')

const HEADLINE_SCHEMA = schemaOf(['title', 'excerpt', 'url', 'imageUrl', 'status', 'type', 'createdAt', 'updatedAt'], [
  ...['source', 'eventCountry', 'topic'],
])
const SETTINGS_SCHEMA = schemaOf(['createdAt', 'updatedAt'], ['displaySettings', 'language', 'feedPreferences'])

function schemaOf(texts: readonly string[], objects: readonly string[]): object {
  const members = [
    ...texts.map((name) => [name, { type: 'string' }]),
    ...objects.map((name) => [name, { type: 'object', additionalProperties: true }]),
  ]
  const properties = { id: { type: 'string', maxLength: 100 }, ...Object.fromEntries(members) }
  return { version: 0, primaryKey: 'id', type: 'object', properties, required: ['id'] }
}

/** RxDB knows a database by its name, whatever its storage. */
let devices = 0

interface ClientOptions {
  readonly name?: string
  readonly model?: string
  readonly version?: number
  readonly schema?: object
  readonly storage?: object
  readonly batchSize?: number
}

/** A device: a database with one collection, and its replication. */
async function openClient(
  { rxdb, service }: World,
  { token }: Person,
  { name = `device-${++devices}`, model = 'headline', version = 0, schema = HEADLINE_SCHEMA, storage = rxdb.memory(), batchSize = 1000 }: ClientOptions = {},
) {
  const database = await rxdb.createRxDatabase({ name, storage, multiInstance: false })
  const { documents } = (await database.addCollections({ documents: { schema } })) as { documents: RxCollection }
  const seen = { errors: [] as string[], forbidden: 0, unauthorized: 0, outdated: 0 }
  const replicate = async (): Promise<Replication> => {
    const replication = await rxdb.replicateServer({
      ...{ collection: documents, replicationIdentifier: 'checks', live: true, retryTime: 200 },
      url: `${service.url}/api/v1/sync/${model}/${version}`,
      headers: { Authorization: `Bearer ${token}` },
      ...{ pull: { batchSize }, push: { batchSize: 50 } },
    })
    replication.error$.subscribe(({ message }) => void seen.errors.push(message))
    replication.forbidden$.subscribe(() => void seen.forbidden++)
    replication.unauthorized$.subscribe(() => void seen.unauthorized++)
    replication.outdatedClient$.subscribe(() => void seen.outdated++)
    return replication
  }
  return {
    ...{ database, documents, seen, replicate },
    stored: async (id: string): Promise<JsonObject | undefined> => (await documents.findOne(id).exec())?.toJSON(),
    async document(id: string) {
      const found = await documents.findOne(id).exec()
      assert.ok(found, `the client has no document ${id}`)
      return found
    },
  }
}

/** Waits until something holds; throws with the words where it does not become so. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + WAIT_MS_MAX
  while (!(await holds())) {
    assert.ok(performance.now() < end, `waited in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** The document in the service; undefined where it has none. */
async function inService({ service, cast }: World, id: string, model = 'headline'): Promise<JsonObject | undefined> {
  const response = await service.data('GET', `/${id}`, { model }, { token: cast.admin.token })
  return response.status === 200 ? (response.at('data') as JsonObject) : undefined
}

async function change({ service, cast }: World, id: string, body: object, model = 'headline'): Promise<void> {
  service.advance(1000)
  const response = await service.data('PATCH', `/${id}`, { model }, { token: cast.publisher.token, body })
  assert.equal(response.status, 200, response.text)
}

async function remove({ service, cast }: World, id: string): Promise<void> {
  const response = await service.data('DELETE', `/${id}`, { model: 'headline' }, { token: cast.publisher.token })
  assert.equal(response.status, 204, response.text)
}

async function copyAndFollow(world: World): Promise<void> {
  const client = await openClient(world, world.cast.guest)
  const replication = await client.replicate()
  await replication.awaitInitialReplication()
  assert.equal(await client.documents.count().exec(), HEADLINES)
  assert.deepEqual(await client.stored(idOf(7)), await inService(world, idOf(7)))

  await change(world, idOf(7), { title: 'Changed' })
  await until('a change arrives', async () => (await client.stored(idOf(7)))?.['title'] === 'Changed')
  assert.deepEqual(await client.stored(idOf(7)), await inService(world, idOf(7)))
  await remove(world, idOf(8))
  await until('a deletion arrives', async () => (await client.stored(idOf(8))) === undefined)
  await change(world, idOf(9), { status: 'draft' })
  await until('a withdrawn headline goes', async () => (await client.stored(idOf(9))) === undefined)
  await change(world, idOf(9), { status: 'active' })
  await until('a headline comes back', async () => (await client.stored(idOf(9))) !== undefined)
  assert.deepEqual(client.seen.errors, [])
  await client.database.close()
}

async function offlineEdits(world: World): Promise<void> {
  const client = await openClient(world, world.cast.publisher)
  const first = await client.replicate()
  await first.awaitInitialReplication()
  await first.cancel()
  for (const i of [20, 21, 22]) await (await client.document(idOf(i))).incrementalPatch({ title: `Edited ${i}` })
  await (await client.document(idOf(23))).remove()
  await (await client.document(idOf(24))).remove()
  await change(world, idOf(21), { title: 'Edited elsewhere' })
  await remove(world, idOf(22))
  await change(world, idOf(24), { title: 'Still wanted' })

  const second = await client.replicate()
  await until('the edit arrives', async () => (await inService(world, idOf(20)))?.['title'] === 'Edited 20')
  await until('the deletion arrives', async () => (await inService(world, idOf(23))) === undefined)
  await second.awaitInSync()
  // Where both have changed, the client takes what is stored.
  assert.equal((await inService(world, idOf(21)))?.['title'], 'Edited elsewhere')
  await until('the conflict is resolved', async () => (await client.stored(idOf(21)))?.['title'] === 'Edited elsewhere')
  await until('the deletion wins', async () => (await client.stored(idOf(22))) === undefined)
  await until('the change wins over a deletion', async () => (await client.stored(idOf(24)))?.['title'] === 'Still wanted')
  // Edits in a row, while the service sets dates of its own.
  for (const title of ['One', 'Two', 'Three']) {
    await (await client.document(idOf(20))).incrementalPatch({ title })
    await second.awaitInSync()
  }
  await until('the last of many edits arrives', async () => (await inService(world, idOf(20)))?.['title'] === 'Three')
  await until('both have the same', async () => JSON.stringify(await client.stored(idOf(20))) === JSON.stringify(await inService(world, idOf(20))))
  assert.deepEqual(client.seen.errors, [])
  await client.database.close()
}

async function startAgain(world: World): Promise<void> {
  const device = { name: 'device', storage: world.rxdb.memory() }
  const before = await openClient(world, world.cast.publisher, device)
  await (await before.replicate()).awaitInitialReplication()
  await before.database.close()
  await change(world, idOf(30), { title: 'While the client was closed' })
  await remove(world, idOf(31))

  const after = await openClient(world, world.cast.publisher, device)
  const pulled = after.documents.count()
  assert.ok((await pulled.exec()) > HEADLINES - 100, 'the client lost its documents')
  const replication = await after.replicate()
  await replication.awaitInitialReplication()
  assert.equal((await after.stored(idOf(30)))?.['title'], 'While the client was closed')
  assert.equal(await after.stored(idOf(31)), undefined)

  await world.restart(async () => {
    await (await after.document(idOf(32))).incrementalPatch({ title: 'While the service was stopped' })
  })
  await until('the edit arrives', async () => (await inService(world, idOf(32)))?.['title'] === 'While the service was stopped')
  await change(world, idOf(33), { title: 'Behind the restart' })
  await until('the stream is open again', async () => (await after.stored(idOf(33)))?.['title'] === 'Behind the restart')
  await after.database.close()
}

/** A client and an editor write different headlines, in turns; the service dies between two of the editor's. */
async function killed(world: World): Promise<void> {
  const { cast, service } = world
  const [mine, others] = [Array.from({ length: 40 }, (_, i) => 60 + i), Array.from({ length: 40 }, (_, i) => 100 + i)]
  await world.restart(async () => {
    let running = await world.startProcess()
    // The clock of the checks is another one than that of the process.
    const made = await run(['token', '--data-dir', world.dataDir, '--email', cast.publisher.email])
    const person = { ...cast.publisher, token: made.stdout.trim() }
    const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/merge-patch+json' }
    const url = (i: number): string => `${service.url}/api/v1/data/${idOf(i)}?model=headline`
    const patch = async (i: number): Promise<boolean> => {
      const body = JSON.stringify({ title: `Written ${i}` })
      return (await fetch(url(i), { method: 'PATCH', headers, body }).catch(() => undefined))?.status === 200
    }
    const client = await openClient(world, person)
    await (await client.replicate()).awaitInitialReplication()
    const edits = mine.map((i) => async () => (await client.document(idOf(i))).incrementalPatch({ title: `Edited ${i}` }))
    for (const [n, i] of others.entries()) {
      void edits[n]?.()
      // What was not acknowledged is written again, as an editor would.
      if (n === 20) {
        const lost = patch(i)
        await running.end('SIGKILL')
        await lost
        running = await world.startProcess()
      }
      while (!(await patch(i))) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    const stored = async (i: number): Promise<JsonObject> => ((await (await fetch(url(i), { headers })).json()) as { data: JsonObject }).data
    for (const i of mine) await until(`edit ${i} arrives`, async () => (await stored(i))['title'] === `Edited ${i}`)
    for (const i of others) assert.equal((await stored(i))['title'], `Written ${i}`)
    for (const i of [...mine, ...others]) {
      await until(`both have the same headline ${i}`, async () => JSON.stringify(await client.stored(idOf(i))) === JSON.stringify(await stored(i)))
    }
    await client.database.close()
    await running.end('SIGTERM')
  })
}

async function pushByPublisher(world: World): Promise<void> {
  const client = await openClient(world, world.cast.publisher)
  const replication = await client.replicate()
  await replication.awaitInitialReplication()
  const { _deleted, ...some } = { _deleted: false, ...(await client.stored(idOf(40))) }
  await client.documents.insert({ ...some, id: 'made-offline-1', title: 'Made by a client' })
  await until('the headline is there', async () => (await inService(world, 'made-offline-1')) !== undefined)
  const stored = await inService(world, 'made-offline-1')
  assert.equal(stored?.['title'], 'Made by a client')
  await until('its dates arrive', async () => (await client.stored('made-offline-1'))?.['updatedAt'] === stored['updatedAt'])
  assert.deepEqual(client.seen.errors, [])
  // What is no headline is not stored, and the client keeps it.
  await client.documents.insert({ ...some, id: 'made-offline-2', title: ' ' })
  await until('the client hears of it', () => client.seen.errors.length > 0)
  assert.equal(await inService(world, 'made-offline-2'), undefined)
  assert.ok(await client.stored('made-offline-2'))
  await client.database.close()
}

async function pushByGuest(world: World): Promise<void> {
  const client = await openClient(world, world.cast.guest)
  const replication = await client.replicate()
  await replication.awaitInitialReplication()
  const before = await inService(world, idOf(50))
  await (await client.document(idOf(50))).incrementalPatch({ title: 'Mine' })
  await until('the client learns that it may not', () => client.seen.forbidden > 0)
  // RxDB waits for that push for ever when the database is closed, so it stays open.
  assert.deepEqual(await inService(world, idOf(50)), before)
}

async function ownSettings(world: World): Promise<void> {
  const { guest, standard } = world.cast
  const open = (person: Person) => openClient(world, person, { model: 'user_app_settings', schema: SETTINGS_SCHEMA })
  const [phone, tablet, other] = [await open(guest), await open(guest), await open(standard)]
  for (const one of [phone, tablet, other]) await (await one.replicate()).awaitInitialReplication()
  assert.deepEqual([await phone.documents.count().exec(), await other.documents.count().exec()], [1, 1])
  assert.deepEqual(await phone.stored(guest.id), await inService(world, guest.id, 'user_app_settings'))

  const mine = await phone.document(guest.id)
  const displaySettings = { ...(mine.toJSON()['displaySettings'] as JsonObject), baseTheme: 'dark' }
  await mine.incrementalPatch({ displaySettings })
  const themeOf = (document: JsonObject | undefined): unknown => (document?.['displaySettings'] as JsonObject | undefined)?.['baseTheme']
  await until('the other device has it', async () => themeOf(await tablet.stored(guest.id)) === 'dark')
  assert.notEqual(themeOf(await other.stored(standard.id)), 'dark')
  for (const one of [phone, tablet, other]) await one.database.close()
}

async function runExample({ directory, service, cast }: World): Promise<void> {
  const program = join(directory, 'offline.mjs')
  copyFileSync(join(import.meta.dirname, '../../../examples/rxdb/offline.mjs'), program)
  const child = spawn(process.execPath, [program, service.url, cast.guest.token], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const lines = createInterface({ input: child.stdout })
    const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit')])) as [unknown]
    assert.match(String(line), /^\d{4,} headlines$/)
  } finally {
    child.kill()
    await once(child, 'close')
  }
}

async function signOut(world: World): Promise<void> {
  const person = await newPerson(world.service, 'guest', world.cast.admin.token)
  const client = await openClient(world, person, { model: 'language', schema: schemaOf(['code', 'name', 'nativeName', 'status', 'type', 'createdAt', 'updatedAt'], []) })
  const replication = await client.replicate()
  await replication.awaitInitialReplication()
  await world.service.call('POST', '/api/v1/auth/sign-out', { token: person.token })
  replication.reSync()
  await until('the client asks for another session', () => client.seen.unauthorized > 0)
  const next = await newPerson(world.service, 'guest', world.cast.admin.token)
  replication.setHeaders({ Authorization: `Bearer ${next.token}` })
  replication.reSync()
  await replication.awaitInSync()
  assert.equal(replication.isStopped(), false)
  await client.database.close()
}

async function outdated(world: World): Promise<void> {
  const client = await openClient(world, world.cast.guest, { version: 1 })
  await client.replicate()
  await until('the client is outdated', () => client.seen.outdated > 0)
}
