// isolated: it measures the memory of the process
/**
 * Files that were made to break an import, or broke on their way: each gets its sentence with the line, nothing gets
 * into the database that a request could not have put there, and memory stays what it was.
 */
import assert from 'node:assert/strict'
import { linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openDatabase } from '../../src/store/db/database.ts'
import { runHere } from '../support/service/in-process.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const directory = temporaryDirectory({ after })
const data = join(directory, 'data')
const GOOD = JSON.stringify({ id: 'good', name: 'Good', description: '', iconUrl: '' })
const HEADER = 'id,name,description,iconUrl,$more'
const MIB = 2 ** 20
const row = (members: string): string => `{"id":"x","name":"X","description":"","iconUrl":""${members}}`
const words = (format: string) => ['import', '--data-dir', data, '--model', 'topic', '--format', format, '-']

it('bad rows of JSON lines are refused, each in one sentence, and those around them are taken', async () => {
  const rows = [
    ['text that is no JSON', '{"id":', /^cannot read it as JSON: /],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from('{"id":"éé'), Buffer.from([0xff]), Buffer.from('"}')]), /^expected UTF-8, found other bytes$/],
    ['null', 'null', /^expected a JSON object, found null$/],
    ['a NUL', '{"id":"a\0b"}', /^expected text, found a NUL$/],
    ['3 MiB', row(`,"x":"${'x'.repeat(3 * MIB)}"`), /^expected at most 2097152 bytes in a row, found more$/],
    ['100,000 brackets', '['.repeat(100_000), /^cannot read it as JSON: nested deeper than 200 levels$/],
    ['100,000 nested members', row(`,"x":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`), /nested deeper than 200/],
    ['a member that changes prototypes', row(',"__proto__":{"a":1}'), /cannot store a member named "__proto__"/],
    ['an operator as a name', row(',"$where":"1"'), /cannot store a member named "\$where"/],
    ['half a surrogate pair', row(',"x":"\\ud800"'), /x: expected Unicode text, found half a surrogate pair/],
    ['an id that climbs', '{"id":"../secrets"}', /id: expected an id of at most 64 letters/],
    ['an id that is a path of the API', '{"id":"query"}', /id: expected an id/],
    ['an id of 65 characters', `{"id":"${'a'.repeat(65)}"}`, /id: expected an id/],
    ['an id that is no text', '{"id":7}', /id: expected an id of [^\n]* found 7$/],
  ] as const
  const input = Buffer.concat(rows.flatMap(([, bad]) => [Buffer.from(`${GOOD}\n`), Buffer.from(bad), Buffer.from('\n')]))
  const { code, stdout, stderr } = await runHere(words('ndjson'), { input })
  assert.equal(code, 1)
  const lines = stderr.trim().split('\n')
  assert.equal(lines.length, rows.length)
  for (const [i, [name, , message]] of rows.entries()) {
    const [, line, said = ''] = /^line (\d+)(?:, id "[^"]*")?: (.*)$/.exec(lines[i] ?? '') ?? []
    assert.equal(line, String(2 * i + 2), name)
    assert.match(said, message, name)
  }
  const taken = /(\d+) inserted, (\d+) replaced, (\d+) unchanged, 14 rejected/.exec(stdout) ?? []
  assert.equal(taken.slice(1).reduce((sum, n) => sum + Number(n), 0), rows.length)
})

describe('a bad row of CSV', () => {
  const cells = /^line 2: expected 5 cells .*, found 4\nline 3: expected 5 cells as in the first row, found more$/
  const long = /^line 2: expected at most 2097152 bytes.*\nline 1572867, id "b": name: expected a text that is not blank/
  const hidden = /a member named "__proto__".*\n.*\$more: expected a JSON object.*\n.*\$more: cannot read the JSON in this/
  for (const [name, csv, message] of [
    ['has another number of cells', 'a,A,,\na,A,,,,\n', cells],
    ['has a cell of 3 MiB', `a,"${'x\n'.repeat(1.5 * MIB)}",,,\nb,,,,\n`, long],
    ['hides members in the last cell', 'a,A,,,"{""__proto__"":{""a"":1}}"\nb,B,,,[]\nc,C,,,{\n', hidden],
  ] as const) {
    it(name, async () => {
      const { code, stderr } = await runHere(words('csv'), { input: `${HEADER}\n${csv}` })
      assert.equal(code, 1)
      assert.equal(stderr.trim().split('\n').length, message.source.split('\\n').length, stderr)
      assert.match(stderr.trim(), message)
    })
  }
})

describe('a file that cannot be read on ends the import, which keeps what was before', () => {
  const stopped = /^Cannot read "-", line (\d+): ([^\n]*); nothing from there on was imported\n$/
  for (const [name, csv, line, reason] of [
    ['a quote that is never closed', `${HEADER}\nq1,A,,,\nq2,"B,,,\n${'q,C,,,\n'.repeat(500_000)}`, '3', /never closed/],
    ['text behind a closing quote', `${HEADER}\nq1,A,,,\nq2,"a"b,,,\n`, '3', /expected a comma/],
  ] as const) {
    it(name, async () => {
      const before = process.memoryUsage().rss
      const { code, stdout, stderr } = await runHere(words('csv'), { input: csv })
      assert.equal(code, 1)
      const [, at, why = ''] = stopped.exec(stderr) ?? []
      assert.deepEqual([at, reason.test(why)], [line, true], stderr)
      assert.match(stdout, /^Imported topic: (?:1 inserted, 0|0 inserted, 1) replaced, 0 unchanged, 0 rejected/)
      assert.ok(process.memoryUsage().rss - before < 300 * MIB)
    })
  }

  for (const [name, csv, reason] of [
    ['an unknown column', 'id,nmae\n', 'topic has no column "nmae": did you mean "name"? The columns are id, name, '],
    ['a column that changes prototypes', 'id,__proto__\n', 'topic has no column "__proto__": use one of id, name'],
    ['a column twice', 'id,name,id\n', 'the column "id" is there twice'],
    ['a header that never ends', '"'.padEnd(3 * MIB, 'x'), 'expected the names of columns, found a row without an end'],
    ['lines that end as those of an old Mac', 'id,name\r1,Space\r2,Art\r', 'its lines end with a carriage return alone: expected line feeds, or both: save the file'],
    ['more of them than a row may have', 'id,name\r'.padEnd(3 * MIB, '1,Space\r'), 'expected the names of columns, found a row without an end: lines end with a line feed'],
    ['a header that is not UTF-8', Buffer.concat([Buffer.from('id,éé'), Buffer.from([0xff, 0x0a])]), 'expected UTF-8, found other bytes'],
  ] as const) {
    it(name, async () => {
      const { code, stdout, stderr } = await runHere(words('csv'), { input: Buffer.from(csv) })
      assert.deepEqual([code, stdout], [1, ''])
      assert.ok(stderr.startsWith(`Cannot read "-", line 1: ${reason}`), stderr)
    })
  }
})

describe('the files and flags themselves', () => {
  writeFileSync(join(directory, 'empty.csv'), '')
  const [topic, empty] = [['--model', 'topic'], join(directory, 'empty.csv')]
  for (const [name, flags, code, message] of [
    ['no model', ['-'], 2, /^Cannot read --model: expected one of headline/],
    ['a misspelt model', ['--model', 'headlines', '-'], 2, /^Cannot read --model "headlines": did you mean "headline"\?\n$/],
    ['a format that we lack', [...topic, '--format', 'xml', '-'], 2, /^Cannot read --format "xml": expected one of ndjson/],
    ['stdin, resumed', [...topic, '--resume', '-'], 2, /^--resume needs a file/],
    ['a file that was never begun', [...topic, '--resume', empty], 1, /^Cannot resume .*: import it without --resume\n$/],
  ] as const) {
    it(name, async () => {
      const found = await runHere(['import', '--data-dir', data, ...flags], { input: '' })
      assert.deepEqual([found.code, found.stdout], [code, ''])
      assert.match(found.stderr, message)
    })
  }
})

it('the rejected rows are never written into the file that is imported, under any name', async () => {
  const file = join(directory, 'input.ndjson')
  const [symbolic, hard] = [join(directory, 'symbolic.ndjson'), join(directory, 'hard.ndjson')]
  writeFileSync(file, '{}\n')
  symlinkSync(file, symbolic)
  linkSync(file, hard)
  for (const rejects of [file, symbolic, hard]) {
    for (const more of [['--resume'], []]) {
      const flags = ['import', '--data-dir', data, '--model', 'topic', '--rejects', rejects, ...more, file]
      const { code, stdout, stderr } = await runHere(flags)
      assert.deepEqual([code, stdout, readFileSync(file, 'utf8')], [2, '', '{}\n'])
      assert.match(stderr, /^Cannot write --rejects "[^\n]*": it is the file that is imported: choose another name\n$/)
    }
  }
})

it('a remote configuration that stops the apps, or has another id, is refused', async () => {
  const config = (await runHere(['export', '--data-dir', data, '--model', 'remote_config'])).stdout
  const broken = config
    .replace('"isLatestVersionOnly":false', '"isLatestVersionOnly":true')
    .replace(/"latestAppVersion":"[^"]*"/, '"latestAppVersion":"soon"')
  assert.notEqual(broken, config)
  const other = config.replace(/"id":"[^"]*"/, '"id":"another"')
  const input = `${broken}${other}`
  const { stderr } = await runHere(['import', '--data-dir', data, '--model', 'remote_config', '-'], { input })
  const [first = '', second = ''] = stderr.split('\n')
  assert.match(first, /^line 1, id "6643[0-9a-f]+": appStatus\.latestAppVersion: expected a version/)
  assert.match(second, /^line 2, id "another": id: expected "6643[0-9a-f]+", the only remote_config, found "another"$/)
})

it('rows without an id before the end are named, for they would come twice', async () => {
  const own = join(directory, 'own')
  const csv = `name,description,iconUrl\nA,,\nB,,\n"C,,\n`
  const flags = ['import', '--data-dir', own, '--model', 'topic', '--format', 'csv', '-']
  const { stderr } = await runHere(flags, { input: csv })
  assert.match(stderr, /line 4: [^\n]*, and 2 rows before it have no id: take what is before line 4 out/)
})

it('small rows that become large documents wait for each other, whatever they become', async () => {
  const own = join(directory, 'large')
  const of = (model: string) => ['import', '--data-dir', own, '--model', model, '-']
  const large = { id: 'large', name: 'L', description: 'x'.repeat(MIB), iconUrl: '' }
  assert.equal((await runHere(of('topic'), { input: JSON.stringify(large) })).code, 0)
  const country = (await runHere(['export', '--data-dir', own, '--model', 'country'])).stdout.split('\n')[0] ?? ''
  const { id } = JSON.parse(country) as { id: string }
  const language = {
    id: 'l',
    code: 'l',
    name: 'L',
    nativeName: 'L',
    createdAt: '2026-01-01',
    updatedAt: '2026-01-01',
    status: 'active',
  }
  const source = { id: 's', name: 'S', description: '', url: '', sourceType: 'blog', language, headquarters: { id } }
  assert.equal((await runHere(of('source'), { input: JSON.stringify(source) })).code, 0)
  const [rows, before] = [60, process.memoryUsage().rss]
  const row = { excerpt: '', url: '', imageUrl: '', source: { id: 's' }, topic: { id: 'large' }, eventCountry: { id } }
  const input = Array.from({ length: rows }, (_, i) => JSON.stringify({ ...row, title: `T${i}` })).join('\n')
  assert.ok(input.length < 64 * 1024)
  const { code, stdout } = await runHere(of('headline'), { input })
  assert.equal(code, 0)
  assert.match(stdout, /^Imported headline: 60 inserted/)
  assert.ok(process.memoryUsage().rss - before < 400 * MIB)
})

it('only twenty rejected rows are shown, and the number of the others', async () => {
  const { stderr } = await runHere(words('ndjson'), { input: '{}\n'.repeat(50) })
  const lines = stderr.trim().split('\n')
  assert.deepEqual([lines.length, lines.at(-1)], [21, 'and 30 more rows were rejected: see --rejects'])
})

it('nothing of all this has left a name in the database that it should not have', () => {
  const database = openDatabase(join(data, 'dateline.db'), { readOnly: true })
  try {
    const ids = database.all('SELECT id FROM topic').map(({ id }) => String(id))
    assert.ok(ids.includes('good') && ids.every((id) => /^(?:good|q1)$/.test(id)), ids.join())
    assert.equal(database.get("SELECT count(*) AS n FROM meta WHERE name LIKE 'import %'")?.['n'], 0)
  } finally {
    database.close()
  }
})
