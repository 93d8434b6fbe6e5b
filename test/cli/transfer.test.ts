// also: executable
/** Export and import as an operator uses them: what goes out comes back the same. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { audit } from '../../src/models/audit.ts'
import { modelNamed, STORED_MODELS } from '../../src/models/registry.ts'
import type { Model } from '../../src/models/schema.ts'
import { statisticsOf } from '../../src/store/query/statistics.ts'
import { faultsOf } from '../../src/store/schema/database-check.ts'
import { ownDataDir } from '../../src/store/db/data-dir.ts'
import { openDatabase, type Database } from '../../src/store/db/database.ts'
import { wordFaults } from '../../src/store/search/word-index.ts'
import { changeFaults } from '../support/cluster/change-faults.ts'
import { searchRows } from '../support/query/search-rows.ts'
import { runCheaply, runHere } from '../support/service/in-process.ts'
import { post } from '../support/service/program-calls.ts'
import { namedPipe } from '../support/service/named-pipe.ts'
import { cleanEnvironment, COMMAND, run, serve, type Finished } from '../../scripts/tools/program.ts'
import { siteWithSamples } from '../support/service/made-site.ts'
import { madeDataDir, openForTest } from '../../scripts/tools/stores.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { HOSTILE_TEXTS, hostileRows } from '../support/service/transfer-rows.ts'

const SEED_MODELS = ['topic', 'source', 'headline']

async function done(words: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await runCheaply(words, { input })
  assert.equal(code, 0, `${words.join(' ')}: ${stderr}`)
  return stdout
}

/** A directory with sample content, and with rows in every model that were made to break things. */
async function filledDirectory(data: string): Promise<void> {
  await done(['seed', '--yes', '--data-dir', data])
  for (const [model, rows] of hostileRows()) {
    const text = await done(['import', '--data-dir', data, '--model', model, '--keep', '--json', '-'], linesOf(rows))
    const { inserted, replaced } = JSON.parse(text) as { inserted: number; replaced: number }
    assert.equal(inserted + replaced, rows.length, model)
  }
}

function exported(data: string, model: string, ...words: readonly string[]): Promise<string> {
  return done(['export', '--data-dir', data, '--model', model, ...words])
}

function imported(data: string, model: string, input: string, ...words: readonly string[]): Promise<Finished> {
  return runHere(['import', '--data-dir', data, '--model', model, ...words, '-'], { input })
}

const linesOf = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

interface Topic {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly createdAt: string
  readonly updatedAt: string
}

it('every model comes back from an export: the same bytes from JSON lines, equal documents and no formula from CSV', async (t) => {
  const directory = temporaryDirectory(t)
  const [data, lines, cells] = ['data', 'lines', 'cells'].map((name) => join(directory, name)) as [string, string, string]
  await filledDirectory(data)
  // Owners first. The audit trail and incomplete drafts cannot be imported.
  const models = STORED_MODELS.filter((model) => model !== audit && model.draftsOf === undefined).sort(
    (a, b) => Number(a.owned ?? false) - Number(b.owned ?? false),
  )
  const texts = new Map<string, string>()
  for (const { name } of models) {
    const text = await exported(data, name)
    assert.ok(text.length > 200, `${name} has nothing to export`)
    await done(['import', '--data-dir', lines, '--model', name, '--keep', '-'], text)
    const csv = join(directory, `${name}.csv`)
    await done(['export', '--data-dir', data, '--model', name, '--to', csv])
    assert.equal(statSync(csv).mode & 0o777, 0o600)
    assert.ok(readFileSync(csv, 'utf8').endsWith('\r\n'))
    await done(['import', '--data-dir', cells, '--model', name, '--keep', csv])
    texts.set(name, text)
    if (name === 'topic') assertNoFormula(readFileSync(csv, 'utf8'))
  }
  // Counts and search indexes were kept on the way.
  for (const copy of [lines, cells]) {
    const [from, to] = [data, copy].map((one) => openDatabase(join(one, 'dateline.db'), { readOnly: true }))
    try {
      if (from === undefined || to === undefined) throw new Error('unreachable')
      assert.deepEqual(faultsOf(to), [])
      for (const [name, text] of texts) {
        const stored = to.all(`SELECT doc FROM "${name}" ORDER BY id`).map(({ doc }) => `${String(doc)}\n`).join('')
        if (copy === lines) assert.equal(stored, text, name)
        else assert.deepEqual(documents(stored), documents(text), name)
      }
      for (const sql of [
        'SELECT model, status, n FROM status_count WHERE n > 0 ORDER BY 1, 2',
        'SELECT model, path, value, n FROM key_count WHERE n > 0 ORDER BY 1, 2, 3',
        'SELECT model, hour, n FROM hour_count ORDER BY 1, 2',
      ]) {
        assert.ok(from.all(sql).length > 1, sql)
        assert.deepEqual(to.all(sql), from.all(sql), sql)
      }
      for (const model of SEED_MODELS.map(modelNamed)) {
        assert.ok(model !== undefined)
        const before = textsById(from, model)
        assert.ok(before.length > 1, model.name)
        assert.deepEqual(textsById(to, model), before, model.name)
      }
      const headline = modelNamed('headline')
      assert.ok(headline !== undefined && statisticsOf(to, headline).shareOf('status', ['active']) > 0.5)
    } finally {
      from?.close()
      to?.close()
    }
  }
})

/** A spreadsheet takes a cell for a formula that begins so, also behind quotes that hold nothing; some have semicolons between cells. */
function assertNoFormula(csv: string): void {
  for (const text of HOSTILE_TEXTS.filter((one) => /^[=+\-@\t\r]/.test(one) && !one.includes('\0'))) {
    assert.ok(csv.includes(`'${text.replaceAll('"', '""')}`), `no apostrophe before ${JSON.stringify(text)}`)
  }
  assert.doesNotMatch(csv, /(?:^|,)"?[=+@\t-]/m)
  assert.doesNotMatch(csv, /(?:^|[;\t])"*[=+@-]/m)
}

/** What searches find of each document. */
function textsById(database: Database, model: Model): readonly string[] {
  return searchRows(database, model)
    .map(([, text, id]) => `${String(id)} ${String(text)}`)
    .sort()
}

function documents(text: string): readonly unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)
}

it('a filter is the one of the service, whichever way the planner goes', async (t) => {
  const data = await siteWithSamples(t)
  const all = documents(await exported(data, 'headline')) as { id: string; status: string; title: string }[]
  assert.equal(all.length, 408)
  assert.deepEqual(all.map(({ id }) => id), all.map(({ id }) => id).sort())
  for (const [filter, wanted] of [
    [{ status: { $ne: 'active' } }, all.filter(({ status }) => status !== 'active')],
    [{ id: all[7]?.id }, all.slice(7, 8)],
    [{ q: 'the' }, all.filter(({ title }) => /the/iu.test(title))],
  ] as const) {
    const found = documents(await exported(data, 'headline', '--filter', JSON.stringify(filter)))
    assert.deepEqual(found, wanted, JSON.stringify(filter))
  }
  const refused = await runHere(['export', '--data-dir', data, '--model', 'headline', '--filter', '{"a":{"$no":1}}'])
  assert.deepEqual([refused.code, refused.stdout], [2, ''])
  assert.match(refused.stderr, /^Cannot read filter at "\$\.a\.\$no": [^\n]*\n$/)
})

describe('import decides row by row', () => {
  it('replaces, inserts and leaves alone, and says what it refused with the words of the API', async (t) => {
    const directory = temporaryDirectory(t)
    const [data, rejects] = [join(directory, 'data'), join(directory, 'rejects')]
    const topic = { name: 'Ports', description: 'd', iconUrl: 'https://e.org/i' }
    await done(['import', '--data-dir', data, '--model', 'topic', '-'], JSON.stringify({ ...topic, id: 'a' }))
    const [before] = documents(await exported(data, 'topic')) as [Topic]
    const rows = [
      JSON.stringify({ ...topic, id: 'a', name: 'Harbours', status: 'draft' }),
      JSON.stringify({ ...topic, id: 'a', name: 'Harbours again', status: 'draft' }),
      JSON.stringify({ ...topic, id: 'a', name: 'No status' }),
      '',
      JSON.stringify({ ...topic, id: 'b', createdAt: '2020-01-01', status: 'archived' }),
      JSON.stringify(topic),
      JSON.stringify({ ...topic, id: 'c', name: ' ' }),
      '{"name": ',
      '[]',
      JSON.stringify({ ...topic, id: '../../etc/passwd' }),
    ]
    const { code, stdout, stderr } = await imported(data, 'topic', rows.join('\r\n'), '--rejects', rejects)
    assert.equal(code, 1)
    assert.match(stdout, /^Imported topic: 2 inserted, 3 replaced, 0 unchanged, 4 rejected, in \d+\.\d s \(\d+ rows\/s\)\n$/)
    const climbing = '../../etc/passwd'
    const anId = 'expected an id of at most 64 letters, digits, dots, hyphens, underscores and tildes'
    const wanted = [
      [7, 'c', 'name: expected a text that is not blank, found " ": to keep it as a draft, import incomplete drafts as well'],
      [8, undefined, 'cannot read it as JSON: it ends too early'],
      [9, undefined, 'expected a JSON object, found an empty array'],
      [10, climbing, `id: ${anId}, found "${climbing}"`],
    ] as const
    const told = wanted.map(([line, id, message]) => `line ${line}${id === undefined ? '' : `, id "${id}"`}: ${message}\n`)
    assert.equal(stderr, told.join(''))
    assert.deepEqual(
      documents(readFileSync(rejects, 'utf8')),
      wanted.map(([line, id, message]) => (id === undefined ? { line, message } : { line, id, message })),
    )
    assert.equal(statSync(rejects).mode & 0o777, 0o600)
    const topics = documents(await exported(data, 'topic', '--filter', '{}')) as Topic[]
    const [a, b, fresh] = topics.toSorted((x, y) => x.id.length - y.id.length)
    assert.deepEqual([a?.name, a?.status, a?.createdAt], ['No status', 'draft', before.createdAt])
    assert.ok((a?.updatedAt ?? '') > before.updatedAt)
    assert.ok((b?.createdAt ?? '') > '2026', 'without --keep the server sets the dates')
    assert.match(fresh?.id ?? '', /^[0-9a-f]{24}$/)
    const again = await imported(data, 'topic', '', '--rejects', rejects)
    assert.deepEqual([again.code, again.stdout], [1, ''])
    assert.match(again.stderr, /^Cannot write "[^\n]*": a file with this name exists already: choose another name/)
  })

  it('takes incomplete drafts only where it is asked to, and moves a document to the table that it then belongs in', async (t) => {
    const data = join(temporaryDirectory(t), 'data')
    const topic = { name: 'Ports', description: 'd', iconUrl: 'https://e.org/i', status: 'draft' }
    const send = (input: string, ...words: readonly string[]) => imported(data, 'topic', input, ...words)
    const rows = linesOf([{ ...topic, id: 'whole' }, { id: 'half', description: 'd', iconUrl: '', status: 'draft' }, { id: 'bare', description: 'd', iconUrl: '' }, { id: 'wrong', name: 'Active', status: 'active' }])
    const refused = await send(rows)
    assert.deepEqual(refused.stderr.split('\n'), [
      'line 2, id "half": name: expected a string, found nothing: to keep it as a draft, import incomplete drafts as well',
      'line 3, id "bare": name: expected a string, found nothing: to keep it as a draft, import incomplete drafts as well',
      'line 4, id "wrong": description: expected a string, found nothing',
      '',
    ])
    assert.match((await send(rows, '--incomplete')).stdout, /: 2 inserted, 1 replaced, 0 unchanged, 1 rejected/)
    const ids = async (...words: readonly string[]): Promise<readonly string[]> => (documents(await exported(data, 'topic', ...words)) as Topic[]).map(({ id }) => id)
    assert.deepEqual([await ids(), await ids('--incomplete')], [['whole'], ['bare', 'half', 'whole']])
    const cells = await exported(data, 'topic', '--incomplete', '--format', 'csv')
    assert.match((await send(cells, '--incomplete', '--keep', '--format', 'csv')).stdout, /: 0 inserted, 0 replaced, 3 unchanged, 0 rejected/)
    assert.match((await send(linesOf([{ ...topic, id: 'half' }]))).stderr, /id: "half" is that of an incomplete draft: to replace it, import incomplete drafts as well/)
    const swapped = linesOf([{ ...topic, id: 'half' }, { id: 'whole', status: 'draft' }])
    assert.match((await send(swapped, '--incomplete', '--dry-run')).stdout, /: 0 inserted, 2 replaced/)
    assert.match((await send(swapped, '--incomplete')).stdout, /: 0 inserted, 2 replaced, 0 unchanged, 0 rejected/)
    assert.deepEqual([await ids(), await ids('--incomplete', '--filter', '{"status":"draft"}')], [['half'], ['bare', 'half', 'whole']])
    const database = openForTest(t, join(data, 'dateline.db'), { readOnly: true })
    assert.deepEqual([...faultsOf(database), ...changeFaults(database, STORED_MODELS), ...wordFaults(database, STORED_MODELS)], [])
    assert.deepEqual(database.all('SELECT id FROM trash'), [])
  })

  it('resolves references, and takes them from CSV as a lone id', async (t) => {
    const data = await siteWithSamples(t)
    const [topic] = documents(await exported(data, 'topic')) as [{ id: string; name: string }]
    const [source] = documents(await exported(data, 'source')) as [{ id: string; name: string }]
    const [country] = documents(await exported(data, 'country')) as [{ id: string; isoCode: string }]
    const csv =
      'id,title,excerpt,url,imageUrl,topic.id,topic.name,source.id,eventCountry.id\n' +
      `one,"Ferry, late",,https://e.org,,${topic.id},,${source.id},${country.id}\n` +
      `two,T,,https://e.org,,unknown,,${source.id},${country.id}\n`
    const send = (input: string, ...words: readonly string[]) => imported(data, 'headline', input, '--format', 'csv', ...words)
    const { code, stderr } = await send(csv)
    assert.deepEqual(
      [code, stderr],
      [1, 'line 3, id "two": topic: expected the id of a topic, found "unknown", which no topic has\n'],
    )
    const [one] = documents(await exported(data, 'headline', '--filter', '{"id":"one"}')) as Record<string, unknown>[]
    assert.deepEqual(
      [one?.['title'], one?.['excerpt'], one?.['topic'], one?.['source'], one?.['eventCountry']],
      ['Ferry, late', '', topic, source, country],
    )
    const byName = await send(`title,excerpt,url,imageUrl,topic.name,source.name,eventCountry.isoCode\nNamed,,https://n.org,,${topic.name},${source.name},${country.isoCode}\nNone,,https://n.org/2,,Nowhere,${source.name},${country.isoCode}\n`)
    assert.match(byName.stdout, /^Imported headline: 1 inserted, 0 replaced, 0 unchanged, 1 rejected/)
    assert.match(byName.stderr, /^line 3: topic.name: expected the name of a topic, found "Nowhere", which no topic has\n$/)
    const same = csv.split('\n', 2).join('\n').replace('one,', 'three,').replace('https://e.org', 'http://e.org/#top')
    const dry = await send(same, '--dry-run', '--json')
    assert.deepEqual([dry.code, dry.stderr], [0, 'line 2: the headline "one" has this address already: "Ferry, late"\n'])
    const result = JSON.parse(dry.stdout) as Record<string, unknown>
    assert.deepEqual([result['inserted'], result['sameAddress']], [1, 1])
    const twice = `${same}\n${same.split('\n')[1]?.replaceAll('//e.org', '//f.org').replace('three', 'four')}\n,"Ferry, again",,http://f.org/?utm_source=x,,${topic.id},,${source.id},${country.id}\n`
    const within = await send(twice, '--batch', '1', '--dry-run', '--json')
    assert.match(within.stderr, /\nline 4: line 3 has this address already: "Ferry, late"\n$/)
    assert.equal((JSON.parse(within.stdout) as Record<string, unknown>)['sameAddress'], 2)
    assert.match((await send(same, '--dry-run')).stdout, /0 rejected, 1 with an address that is in use already, in /)
  })

  it('a dry run checks everything and changes nothing', async (t) => {
    const data = join(temporaryDirectory(t), 'data')
    const input = `${JSON.stringify({ id: 'a', name: 'A', description: '', iconUrl: '' })}\n{}\n`
    const none = await imported(data, 'topic', input, '--dry-run')
    assert.deepEqual([none.code, none.stdout], [1, ''])
    assert.match(none.stderr, /: it has no database: name another with --data-dir\n$/)
    await done(['seed', '--yes', '--data-dir', data])
    const before = await exported(data, 'topic')
    const { code, stdout } = await imported(data, 'topic', input, '--dry-run')
    assert.equal(code, 1)
    assert.match(stdout, /^Would import topic: 1 inserted, 0 replaced, 0 unchanged, 1 rejected/)
    const codes = linesOf(['XA', 'XB', 'XA'].map((isoCode) => ({ isoCode, name: isoCode, flagUrl: '' })))
    const countries = await imported(data, 'country', codes, '--dry-run')
    assert.match(countries.stdout, /: 2 inserted, 0 replaced, 0 unchanged, 1 rejected/)
    assert.match(countries.stderr, /^line 3, id "\w+": isoCode: expected a code that no other country has, found "XA", which the country "\w+" has/)
    assert.equal(await exported(data, 'topic'), before)
  })

  it('a file that is unreadable from a line on names the rows that would come twice, but not in a dry run, which imports none', async (t) => {
    const data = join(temporaryDirectory(t), 'data')
    const input = 'name,description,iconUrl\nA,b,\n"C,d,\n'
    const { stderr } = await imported(data, 'topic', input, '--format', 'csv')
    assert.match(stderr, /; nothing from there on was imported, and 1 row before it has no id: take what is before line 3 out of the fixed file, or it will be imported twice\n$/)
    const dry = await imported(data, 'topic', input, '--format', 'csv', '--dry-run')
    assert.match(dry.stderr, /, line 3: a quote is opened and never closed; nothing from there on was checked\n$/)
  })
})

it('users come with settings and preferences, and keep the rules of accounts', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const users = [
    { id: 'u1', email: ' Anna@Example.ORG ', dashboardRole: 'admin' },
    { id: 'u2', email: 'anna@example.org' },
    { id: 'u3', email: 'u3@anonymous.invalid', appRole: 'guestUser' },
    { id: 'u4', email: 'u3@anonymous.invalid' },
    { id: 'u5', email: 'unknown' },
    { id: 'u1', email: 'anna@example.org', appRole: 'standardUser', dashboardRole: 'none' },
    { id: 'u3', email: 'anna@example.org', appRole: 'standardUser', dashboardRole: 'none' },
    { id: 'u3', email: 'guest@example.org', appRole: 'premiumUser', dashboardRole: 'publisher' },
    { id: 'u1', email: 'anna@example.org', appRole: 'guestUser', dashboardRole: 'admin' },
    { id: 'u6', email: 'u6@anonymous.invalid', appRole: 'guestUser', dashboardRole: 'admin' },
  ]
  const { code, stdout, stderr } = await imported(data, 'user', linesOf(users))
  assert.equal(code, 1)
  assert.match(stdout, /^Imported user: 3 inserted, 1 replaced, 0 unchanged, 6 rejected/)
  assert.deepEqual(stderr.split('\n'), [
    'line 2, id "u2": email: a user with this e-mail address exists already',
    'line 4, id "u4": email: this address is reserved for a guest or the service and gets no mail',
    'line 5, id "u5": email: expected an e-mail address such as name@example.org',
    'line 6, id "u1": The last administrator cannot be demoted here: give another user the role first',
    'line 7, id "u3": email: a user with this e-mail address exists already',
    'line 9, id "u1": appRole: expected standardUser or premiumUser for an account with an e-mail address, found "guestUser"',
    '',
  ])
  const found = documents(await exported(data, 'user')) as { id: string; email: string; dashboardRole: string }[]
  const told = found.map(({ id, email, dashboardRole }) => `${id} ${email} ${dashboardRole}`)
  assert.deepEqual(told, ['u1 anna@example.org admin', 'u3 guest@example.org publisher', 'u6 u6@anonymous.invalid admin'])
  const settings = documents(await exported(data, 'user_app_settings')) as { id: string }[]
  assert.deepEqual(settings.map(({ id }) => id), ['u1', 'u3', 'u6'])
  // Settings without a user.
  const lost = JSON.stringify({ ...settings[0], id: 'unknown' })
  const orphan = await imported(data, 'user_app_settings', lost)
  assert.equal(orphan.stderr, 'line 1, id "unknown": id: expected the id of a user, found "unknown", which no user has\n')
})

it('two imports at once beside a service that writes lose nothing', async (t) => {
  const directory = temporaryDirectory(t)
  const data = join(directory, 'data')
  const service = await serve(t, ['--data-dir', data, '--rate-limits', 'off', '--admin-email', 'a@example.org'])
  const token = (await runHere(['token', '--email', 'a@example.org', '--data-dir', data])).stdout.trim()
  for (const name of ['x', 'y']) writeFileSync(join(directory, name), topicRows(name, 600))
  let [isOver, written] = [false, 0]
  const writing = (async () => {
    while (!isOver) {
      const body = { name: 'w', description: 'd', iconUrl: '' }
      const response = await post(service.url, '/api/v1/data?model=topic', body, { authorization: `Bearer ${token}` })
      assert.equal(response.status, 201, await response.text())
      written++
    }
  })()
  const imports = await Promise.all(
    ['x', 'y'].map((name) => run(['import', '--data-dir', data, '--model', 'topic', '--batch', '50', join(directory, name)])),
  )
  isOver = true
  await writing
  for (const { code, stderr } of imports) assert.equal(code, 0, stderr)
  const found = (await exported(data, 'topic')).split('\n').length - 1
  assert.equal(found, 1_200 + written)
})

it('an import beside another process gives way between two batches to a writer that waits', async (t) => {
  const dir = madeDataDir(t)
  const lock = ownDataDir(dir, { pid: process.pid, startedAt: 'now' })
  t.after(() => lock.release())
  const rows = join(temporaryDirectory(t), 'rows')
  writeFileSync(rows, topicRows('x', 60))
  // A writer that waits makes this file. This one never writes, so the import removes the file when it has given way for long.
  const mark = `${dir.database}-wanted`
  writeFileSync(mark, '')
  const { code, stderr } = await runHere(['import', '--data-dir', dir.path, '--model', 'topic', '--format', 'ndjson', '--batch', '50', rows])
  assert.equal(code, 0, stderr)
  assert.equal(existsSync(mark), false)
})

function topicRows(name: string, count: number): string {
  const row = (i: number): object => ({ id: `${name}${i}`, name: `${name} ${i}`, description: 'd'.repeat(300), iconUrl: '' })
  return Array.from({ length: count }, (_, i) => JSON.stringify(row(i))).join('\n')
}

it('a pipe with a name is read once', { skip: process.platform === 'win32' && 'Windows has none' }, async (t) => {
  const [data, pipe] = [join(temporaryDirectory(t), 'data'), namedPipe(t)]
  const rows = 'id,name,description,iconUrl\np1,P,,\np2,P,,\n'
  const flags = ['import', '--data-dir', data, '--model', 'topic', '--format', 'csv', pipe]
  const [{ code, stdout }] = await Promise.all([runHere(flags), writeFile(pipe, rows)])
  assert.deepEqual([code, /2 inserted/.test(stdout)], [0, true])
  const again = await runHere([...flags, '--resume'])
  assert.match(again.stderr, /^Cannot resume [^\n]*: input from a pipe cannot be read again\n$/)
})

for (const [format, start, line] of [['ndjson', '{}\n', 2], ['csv', 'id,name\n,Tides\n', 3], ['csv', '', 1]] as const) {
  const skip = process.platform === 'win32' && 'Windows has none'
  const name = `an import of ${format} that waits for a pipe ends when it is interrupted, before line ${line}`
  it(name, { skip, timeout: 20_000 }, async (t) => {
    const pipe = namedPipe(t)
    const writer = openSync(pipe, 'r+')
    t.after(() => closeSync(writer))
    writeSync(writer, start)
    const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<string>()
    if (start === '') interrupt('SIGINT')
    const flags = ['--data-dir', join(temporaryDirectory(t), 'data'), '--model', 'topic', '--format', format]
    // The first row is rejected, which says so at once; two turns later the import waits for the next.
    const onStderr = (): void => void setImmediate(() => setImmediate(() => interrupt('SIGINT')))
    const { code, stderr } = await runHere(['import', ...flags, '--batch', '1', pipe], { interrupted, onStderr })
    assert.equal(code, 1)
    assert.ok(stderr.endsWith(`Interrupted before line ${line}\n`), stderr)
  })
}

describe('export to a pipe', () => {
  it('ends quietly when the reader closes the pipe, and rejects an existing file', async (t) => {
    const directory = temporaryDirectory(t)
    const data = await siteWithSamples(t)
    const input = readFileSync(writeMany(directory, 500), 'utf8')
    await done(['import', '--data-dir', data, '--model', 'topic', '-'], input)
    const [program, ...words] = [...COMMAND, 'export', '--data-dir', data, '--model', 'topic'] as const
    const child = spawn(program, words, { env: cleanEnvironment({}), stdio: ['ignore', 'pipe', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()))
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const [code] = (await once(child, 'close')) as [number | null]
    assert.deepEqual([code, stderr], [0, ''])

    const file = join(directory, 'there.ndjson')
    writeFileSync(file, 'mine')
    const refused = await runHere(['export', '--data-dir', data, '--model', 'topic', '--to', file])
    assert.deepEqual([refused.code, readFileSync(file, 'utf8')], [1, 'mine'])
    assert.match(refused.stderr, /^Cannot export to "[^\n]*": a file with this name exists already: choose another name with --to\n$/)
    const below = await runHere(['export', '--data-dir', data, '--model', 'topic', '--to', join(file, 'x')])
    assert.match(below.stderr, /^Cannot export to "[^\n]*": a part of the path is not a directory\n$/)
  })
})

function writeMany(directory: string, count: number): string {
  const file = join(directory, 'many.ndjson')
  const row = (i: number) => JSON.stringify({ id: `m${i}`, name: `${i}`, description: 'd'.repeat(4_000), iconUrl: '' })
  writeFileSync(file, Array.from({ length: count }, (_, i) => `${row(i)}\n`).join(''))
  return file
}
