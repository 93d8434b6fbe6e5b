/** Remembered results over a real store: when one is computed, kept, named, and given up. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createPageCache } from '../../src/content/reads/page-cache.ts'
import { createReads, DATA_FORM, type ReadRequest, type ReadResult as Result } from '../../src/content/reads/reads.ts'
import { country } from '../../src/models/country.ts'
import type { Model } from '../../src/models/schema.ts'
import { language } from '../../src/models/language.ts'
import { topic } from '../../src/models/topic.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { testStore, type SystemStore } from '../../scripts/tools/stores.ts'

type ReadResult = Result<string>

/** Names that tell what they are made of, and results that are kept as they are. */
const plain = { nameOf: (text: string): string => text, keep: String, form: DATA_FORM }

interface Scene {
  readonly store: SystemStore
  /** Asks for one list of topics; `computed` counts how often that had to be done. */
  ask(change?: Partial<ReadRequest>): Promise<ReadResult>
  readonly computed: () => number
  /** Inserts a document. */
  write(model?: Model): Promise<void>
}

function scene(t: Cleanup): Scene {
  const { store } = testStore(t)
  const pages = createPageCache<string>({ bytesMax: 1024 * 1024, now: () => 1_000_000 })
  const reads = createReads({ store, pages, ...plain, instance: 'one run' })
  let [computed, written] = [0, 0]
  const compute = async (): Promise<string> => {
    computed++
    return JSON.stringify(store.documents.countActive(topic))
  }
  const request: ReadRequest = {
    ...{ key: 'topics', model: topic, rests: [topic], weight: 0, text: 'reader /topics' },
    ...{ knownAs: () => undefined, namedBy: 'models', compute },
  }
  return {
    store,
    async ask(change = {}) {
      await turn()
      return reads.read({ ...request, ...change })
    },
    computed: () => computed,
    async write(model = topic) {
      const id = `d${written++}`
      await store.insert(model, { id, value: { id, name: id, status: 'active' } })
    },
  }
}

const dataOf = (result: ReadResult): string => {
  if (result.kind === 'text') return String(result.data)
  assert.equal(result.kind, 'kept')
  return result.kind === 'kept' ? result.kept : ''
}

it('a result is computed twice, then remembered until a document of its model changes', async (t) => {
  const { ask, computed, write } = scene(t)
  for (let i = 0; i < 5; i++) assert.equal(dataOf(await ask()), '0')
  assert.equal(computed(), 2)
  await write(language)
  assert.equal(dataOf(await ask()), '0')
  assert.equal(computed(), 2, 'another model is no reason')
  await write()
  for (let i = 0; i < 3; i++) assert.equal(dataOf(await ask()), '1')
  assert.equal(computed(), 3, 'what was read often is remembered again at once')
})

it('a result depends on every model that is declared', async (t) => {
  const { ask, computed, write } = scene(t)
  const rests = [country, topic, language]
  for (let i = 0; i < 3; i++) await ask({ rests })
  for (const model of rests) {
    const before = computed()
    await write(model)
    await ask({ rests })
    assert.equal(computed(), before + 1, model.name)
    await ask({ rests })
  }
})

it('attack: a write while a result is computed leaves no stale result behind, nor a tag that comes again', async (t) => {
  const { store, ask, write } = scene(t)
  const slow = async (): Promise<string> => {
    const old = JSON.stringify(store.documents.countActive(topic))
    await write()
    return old
  }
  const versions = new Set<string>()
  for (let i = 0; i < 4; i++) {
    const result = await ask({ compute: slow })
    assert.deepEqual([result.kind, dataOf(result)], ['text', String(i)])
    versions.add(result.version)
  }
  const knownAs = (version: string): string | undefined => (versions.has(version) ? version : undefined)
  assert.equal(dataOf(await ask({ knownAs })), '4')
  assert.equal(versions.size, 4)
})

it('a client that has the version is told so without a look at a document', async (t) => {
  const { ask, computed, write } = scene(t)
  const { version } = await ask()
  const knownAs = (current: string): string | undefined => (current === version ? current : undefined)
  for (let i = 0; i < 5; i++) assert.deepEqual(await ask({ knownAs }), { kind: 'known', version })
  assert.equal(computed(), 1)
  assert.equal(dataOf(await ask()), '0')
  assert.equal(computed(), 2)
  await write()
  const changed = await ask({ knownAs })
  assert.equal(dataOf(changed), '1')
  assert.notEqual(changed.version, version)
})

it('names of versions differ by list, by version and by run', async (t) => {
  const { store, ask, write } = scene(t)
  const pages = createPageCache<string>({ bytesMax: 0, now: () => 1_000_000 })
  const next = createReads({ store, pages, ...plain, instance: 'next run' })
  const request = { model: topic, rests: [topic], weight: 0, text: undefined, knownAs: () => undefined, key: 'topics' }
  const names = [(await ask()).version, (await ask({ key: 'other topics' })).version]
  names.push((await next.read({ ...request, namedBy: 'models', compute: () => '0' })).version)
  await write()
  names.push((await ask()).version)
  assert.equal(new Set(names).size, 4)
})

it('what only its owner may read is never remembered', async (t) => {
  const { ask, computed } = scene(t)
  const owned = { ...topic, access: { ...topic.access, read: 'owner' } } as const
  for (let i = 0; i < 5; i++) assert.equal((await ask({ model: owned })).kind, 'text')
  assert.equal(computed(), 5)
})

/** Looks of one read at the store, and some more. */
const LOOKS = 40

for (const namedBy of ['models', 'content'] as const) {
  it(`no commit is missed, between whichever looks at the store it is made, named by the ${namedBy}`, async () => {
    for (let last = 1; last <= LOOKS; last++) {
      // Threads that read beside the one that writes begin another snapshot behind each commit, in the middle of a read as well.
      let [looks, commits] = [0, 0]
      const look = (): number => {
        if (++looks === last) commits++
        return commits
      }
      const store = { versions: { revision: look, of: () => String(look()), ofDocument: () => String(look()), changes: look } }
      const pages = createPageCache<string>({ bytesMax: 1024 * 1024, now: () => 1_000_000 })
      const reads = createReads({ store, pages, ...plain, instance: 'one run' })
      const facts = { key: 'topics', model: topic, rests: [topic], weight: 0, text: 'topics', namedBy }
      const seen = new Map<string, number>()
      for (let had = ''; looks < LOOKS; ) {
        const before = commits
        const knownAs = (one: string): string | undefined => (one === had ? one : undefined)
        const result = await reads.read({ ...facts, knownAs, compute: () => JSON.stringify(look()) })
        if (result.kind !== 'known') seen.set(result.version, Number(dataOf(result)))
        // The client forgets its copy now and then, so that both ways are gone.
        had = looks % 3 === 0 ? '' : result.version
        assert.ok((seen.get(result.version) ?? -1) >= before, `${result.kind} ${seen.get(result.version)} behind commit ${before}, made at look ${last}`)
      }
    }
  })
}
