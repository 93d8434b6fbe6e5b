/** Stored documents of before sources had a `logoUrl`: each gets it once, and nothing else of its text changes. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { parseJson, writeJson, type Json, type JsonObject } from '../../src/base/json.ts'
import { STORED_MODELS } from '../../src/models/registry.ts'
import { migrate, MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { HEADLINE, PREFERENCES, SOURCE, USER } from '../support/service/data-bodies.ts'
import { temporaryDirectory } from '../support/service/temporary-directory.ts'

const BEFORE = MIGRATIONS.findIndex((step) => typeof step === 'function')

/** Any value without the empty `logoUrl` of its sources. */
function without(value: Json): Json {
  return parseJson(writeJson(value).replaceAll(/,"logoUrl":""/g, ''))
}

it('each source and each copy of one gets an empty logoUrl, a given one stays, and all counts and indexes hold', (t) => {
  const directory = temporaryDirectory(t)
  const database = openDatabase(join(directory, 'a.db'))
  t.after(() => database.close())
  const options = { models: STORED_MODELS, version: '1.0.0', backup: join(directory, 'copy') }
  migrate(database, { ...options, migrations: MIGRATIONS.slice(0, BEFORE) })

  const old = without(SOURCE) as JsonObject
  const given = { ...SOURCE, logoUrl: 'https://x.example/ü"\\.png' }
  const huge = '{"big":12345678901234567890.10,"tiny":1e-400,"text":"\\u2028 \\" ü 😀 \\u0000","deep":[[{"a":null}]]}'
  const rows: [table: string, id: string, doc: string][] = [
    ['source', 'old', writeJson({ ...old, id: 'old' })],
    ['source', 'given', writeJson({ ...given, id: 'given' })],
    ['source', 'wrong', writeJson({ ...old, id: 'wrong', logoUrl: 7 })],
    ['source', 'exact', `{"x":${huge},${writeJson({ ...old, id: 'exact' }).slice(1)}`],
    ['headline', 'old', writeJson({ ...HEADLINE, id: 'old', source: old })],
    ['headline', 'given', writeJson({ ...HEADLINE, id: 'given', source: given })],
    ['user', 'reader', writeJson({ ...USER, id: 'reader' })],
    ['user', 'other', writeJson({ ...USER, id: 'other', email: 'b@b.example' })],
    [
      'user_content_preferences',
      'reader',
      writeJson({
        ...PREFERENCES,
        id: 'reader',
        followedSources: [given, old],
        savedHeadlines: [{ ...HEADLINE, source: old }, { ...HEADLINE, source: given }],
        savedFilters: [
          { id: '1', name: 'a', topics: [], sources: [old, given], countries: [] },
          { id: '2', name: 'b', topics: [], sources: [], countries: [] },
        ],
      }),
    ],
    ['user_content_preferences', 'other', writeJson({ ...PREFERENCES, id: 'other', followedSources: [], savedHeadlines: [], savedFilters: [] })],
  ]
  for (const [table, id, doc] of rows) database.run(`INSERT INTO ${table} (id, doc) VALUES (?, ?)`, id, doc)
  const schema = (): unknown => database.all('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name')
  const counts = (): unknown => [
    database.all('SELECT * FROM status_count ORDER BY 1, 2'),
    database.all('SELECT * FROM key_count WHERE n > 0 ORDER BY 1, 2, 3'),
    database.all('SELECT * FROM hour_count ORDER BY 1, 2'),
  ]
  const before = [schema(), counts()]

  migrate(database, { ...options, migrations: MIGRATIONS.slice(0, BEFORE + 1) })

  assert.deepEqual([schema(), counts()], before)
  const docOf = (table: string, id: string): string => String(database.get(`SELECT doc FROM ${table} WHERE id = ?`, id)?.['doc'])
  for (const [table, id, doc] of rows) {
    if (id === 'wrong') continue
    assert.deepEqual(without(parseJson(docOf(table, id))), without(parseJson(doc)), `${table} ${id}`)
    if (id === 'given' || id === 'other' || table === 'user') assert.equal(docOf(table, id), doc, `${table} ${id}`)
  }
  assert.ok(docOf('source', 'exact').includes(huge.slice(1, -1)))
  const logoOf = (value: Json | undefined): Json | undefined => (value as JsonObject)['logoUrl']
  assert.equal(logoOf(parseJson(docOf('source', 'wrong'))), '')
  assert.equal(logoOf(parseJson(docOf('source', 'old'))), '')
  assert.equal(logoOf((parseJson(docOf('headline', 'old')) as JsonObject)['source']), '')
  const reader = parseJson(docOf('user_content_preferences', 'reader')) as unknown as Record<string, JsonObject[]>
  assert.deepEqual(reader['followedSources']?.map(logoOf), [given.logoUrl, ''])
  assert.deepEqual(reader['savedHeadlines']?.map(({ source }) => logoOf(source)), ['', given.logoUrl])
  assert.deepEqual((reader['savedFilters']?.[0]?.['sources'] as Json[]).map(logoOf), ['', given.logoUrl])
  assert.deepEqual(reader['savedFilters']?.[1]?.['sources'], [])
})
