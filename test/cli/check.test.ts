/** `check`, and what the service does where it would find fault. */
import assert from 'node:assert/strict'
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { checksOfDatabase } from '../../src/cli/backup/check.ts'
import { beginRestore } from '../../src/store/backup/unfinished-restore.ts'
import { openDatabase, type Database } from '../../src/store/db/database.ts'
import { runCheaply, runHere, serveCheaply } from '../support/service/in-process.ts'
import { get, guestToken } from '../support/service/program-calls.ts'
import { siteWithBoss, siteWithSamples } from '../support/service/made-site.ts'
import { openForTest, testStore } from '../../scripts/tools/stores.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const PAGE_BYTES = 4096

interface Report {
  readonly ok: boolean
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly text: string }[]
}

async function check(...words: string[]): Promise<{ code: number | null; report: Report; wrong: readonly string[] }> {
  const { code, stdout, stderr } = await runCheaply(['check', '--json', ...words])
  assert.equal(stderr, '')
  const report = JSON.parse(stdout) as Report
  const wrong = report.checks.filter(({ ok }) => !ok).map(({ name, text }) => `${name}: ${text}`)
  assert.equal(report.ok, wrong.length === 0)
  assert.equal(code, report.ok ? 0 : 1)
  return { code, report, wrong }
}

/** Overwrites the pages of a table or index, the root first, with what no page begins with. */
function damage(data: string, name: string, from = 0, pages = 1): void {
  const file = join(data, 'dateline.db')
  const database = openDatabase(file)
  const { rootpage } = database.get('SELECT rootpage FROM sqlite_schema WHERE name = ?', name) ?? {}
  assert.ok(Number(rootpage) > 1, name)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  const descriptor = openSync(file, 'r+')
  const bytes = Buffer.alloc(pages * PAGE_BYTES, 0xee)
  writeSync(descriptor, bytes, 0, bytes.length, (Number(rootpage) - 1 + from) * PAGE_BYTES)
  closeSync(descriptor)
}

it('check finds nothing wrong with a site, also beside its service, and with one that is not there yet', async (t) => {
  const data = await siteWithSamples(t)
  const service = await serveCheaply(t, ['--data-dir', data])
  const { report, wrong } = await check('--data-dir', data)
  assert.deepEqual(wrong, [])
  assert.deepEqual(
    report.checks.map(({ name }) => name),
    ['settings', 'directory', 'permissions', 'secrets', 'disk', 'schema', 'integrity', 'references', 'values', 'feeds', 'pictures', 'stored', 'backups', 'offsite', 'guests', 'mail', 'clock'],
  )
  const text = await runCheaply(['check', '--data-dir', data])
  const onSameDisk = /^warn {2}backups +every 1d, the newest 7 in \S+, up to [\d.]+ MB, on the disk of the database: .*\n/m
  assert.match(text.stdout, onSameDisk)
  assert.match(text.stdout.replace(onSameDisk, ''), /^(ok {4}\w+ +\S.*\n){16}$/)
  const off = await check('--data-dir', data, '--backup-every', 'off')
  assert.deepEqual(off.wrong, [])
  assert.match(off.report.checks.find(({ name }) => name === 'backups')?.text ?? '', /^automatic backups are off: .*--backup-every 24h/)
  assert.match(text.stdout, /integrity +\d\.\d MB, \d{3,} items, all read\n/)
  await service.end('SIGTERM')
  const nowhere = join(data, 'none')
  assert.deepEqual((await check('--data-dir', nowhere)).wrong, [])
  assert.ok(!existsSync(nowhere))
})

it('a check reads one moment of the database while a service writes, so that an index does not seem to differ from its documents', (t) => {
  const { dir } = testStore(t)
  const writer = openForTest(t, dir.database)
  const notes = (database: Database): unknown => database.get('SELECT count(*) AS n FROM meta')?.['n']
  const check = checksOfDatabase(dir.database)((database) => {
    const before = notes(database)
    writer.run("INSERT INTO meta VALUES ('written meanwhile', '1')")
    assert.notEqual(notes(writer), before)
    return `${String(before)}, then ${String(notes(database))}`
  })
  assert.match(String(check()), /^(\d+), then \1$/)
})

it('check says what to do about each fault', async (t) => {
  const data = await siteWithSamples(t)
  const file = join(temporaryDirectory(t), 'file')
  writeFileSync(file, 'short\n')
  for (const [words, wanted] of [
    [['--data-dir', file], /^directory: .*file is no directory: choose another --data-dir$/],
    [['--mail', 'smtp://127.0.0.1:1'], /^mail: Cannot deliver .*: fix that server, or --mail and the settings/],
    [['--mail-ca', file], /^settings: .*--mail-ca/],
    [['--page-size', '0'], /^settings: Cannot use --page-size/],
  ] as const) {
    const { wrong } = await check('--data-dir', data, ...words).catch(() => check(...words))
    assert.ok(wrong.some((line) => wanted.test(line)), wrong.join('\n'))
  }
  writeFileSync(join(data, 'secrets'), 'short\n', { mode: 0o600 })
  chmodSync(join(data, 'dateline.db'), 0o644)
  const database = openDatabase(join(data, 'dateline.db'))
  database.exec(`UPDATE headline SET doc = json_set(doc, '$.updatedAt', '2099-01-01T00:00:00.000Z') WHERE seq = 1;
    UPDATE topic SET doc = json_set(doc, '$.iconUrl', 'javascript:alert(1)') WHERE seq = 1;
    UPDATE country SET doc = json_set(doc, '$.isoCode', 'is') WHERE seq = 1;
    UPDATE headline SET doc = json_set(doc, '$.source.headquarters.flagUrl', 'foo bar') WHERE seq = 2;
    INSERT INTO user (id, doc) VALUES ('66f000000000000000000601', '{"email":"reader@example.org"}');
    INSERT INTO user_content_preferences (id, doc) VALUES ('66f000000000000000000601', '{"savedHeadlines":[{"url":"foo bar","topic":{"iconUrl":"ftp://x"}}]}');
    INSERT INTO feed (id, doc) VALUES ('one', '{"title":"a","paused":false}'), ('two', '{"title":"b","paused":false}');
    INSERT INTO feed_state (feed, next_at, state) VALUES ('one', 1, '{"failures":3,"problem":"lost"}'), ('two', 1, '{"failures":0}');
    PRAGMA user_version = 99; UPDATE meta SET value = '9.8.7' WHERE name = 'version'`)
  database.close()
  const { report, wrong } = await check('--data-dir', data)
  assert.match(
    report.checks.find(({ name }) => name === 'values')?.text ?? '',
    /^links and codes that no write may store: iconUrl of the topic \w+, isoCode of the country (\w+), one isoCode of country \w+ and \w+, source\.headquarters\.flagUrl of the headline \w+, savedHeadlines\[0\]\.url of the user_content_preferences \w+, and 1 more: correct them/,
  )
  assert.match(report.checks.find(({ name }) => name === 'feeds')?.text ?? '', /^1 of 2 feeds cannot be fetched: GET \/api\/v1\/feeds says why$/)
  for (const wanted of [
    /^permissions: others can read .*dateline\.db: run chmod -R go-rwx ".*"$/,
    /^secrets: .*expected a secret of at least 32 bytes, found 5: remove ".*secrets", .*everyone then signs in again$/,
    /^schema: the database has schema 99, written by dateline 9\.8\.7; .*: install that version or a newer one$/,
  ]) {
    assert.ok(wrong.some((line) => wanted.test(line)), wrong.join('\n'))
  }
  assert.equal(wrong.length, 3, wrong.join('\n'))
})

it('check finds what keeps a service from its work: pictures or half a restore without a database, or another kind of file', async (t) => {
  const data = temporaryDirectory(t)
  const directoryOf = async (): Promise<string | undefined> => (await check('--data-dir', data)).wrong.find((line) => line.startsWith('directory: '))
  const file = join(data, 'media', 'ab', `ab${'0'.repeat(62)}.png`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  assert.match((await directoryOf()) ?? '', /it has pictures and no database: put its database back/)
  writeFileSync(join(data, 'backups'), '', { mode: 0o600 })
  assert.deepEqual((await check('--data-dir', data)).wrong, ['directory: expected "backups" to be a directory, found a file: move that away'])
  rmSync(join(data, 'backups'))
  beginRestore({ path: data }, 'dateline restore copy.db')
  assert.match((await directoryOf()) ?? '', /a restore into it was interrupted or still runs, and it has no database yet: run "dateline restore copy\.db" again/)
  mkdirSync(join(data, 'dateline.db'))
  assert.match((await directoryOf()) ?? '', /expected "dateline\.db" to be a file, found a directory: move that away$/)
})

it('the folder of feeds has to be one that the service may move files in, and files that it rejected are a warning', async (t) => {
  const data = await siteWithSamples(t)
  const folder = temporaryDirectory(t)
  const found = async (path: string): Promise<string> => {
    const { report } = await check('--data-dir', data, '--feeds-folder', path)
    const { ok, text } = report.checks.find(({ name }) => name === 'folder') ?? { ok: false, text: 'no check' }
    return `${ok ? 'ok' : 'wrong'}: ${text}`
  }
  assert.equal(await found(folder), `ok: 0 files of feeds wait in ${folder}`)
  for (const name of ['done', 'rejected']) mkdirSync(join(folder, name))
  for (const name of ['a.xml', '.b.xml', 'rejected/c', 'rejected/c.txt']) writeFileSync(join(folder, name), '')
  assert.equal(await found(folder), `ok: 1 file of feeds waits in ${folder}, and 1 was rejected: read the reasons in ${join(folder, 'rejected')}, and remove the files`)
  assert.equal(await found(join(folder, 'a.xml')), `wrong: ${join(folder, 'a.xml')} cannot be used: expected a directory, found a file: correct it, or choose another --feeds-folder`)
})

it('a service does not start with a folder of feeds whose files it must not move', async (t) => {
  const data = await siteWithSamples(t)
  const folder = temporaryDirectory(t)
  writeFileSync(join(folder, 'letter.txt'), '')
  symlinkSync(data, join(folder, 'link'))
  const rows = [
    [folder, /^Cannot use --feeds-folder ".*": expected an empty folder: it has other files/],
    [data, /^Cannot use --feeds-folder ".*": it is the data directory of the service, or in it: use another folder/],
    [join(folder, 'link', 'backups'), /it is the data directory of the service, or in it/],
    [join(folder, 'none'), /^Cannot use --feeds-folder ".*": no such file or directory/],
  ] as const
  for (const [path, says] of rows) {
    const { code, stderr } = await runHere(['serve', '--data-dir', data, '--port', '0', '--feeds-folder', path])
    assert.equal(code, 2)
    assert.match(stderr, says)
  }
})

it('a clock that was ahead once is a warning, and one that is behind its last record a fault', async (t) => {
  const data = await siteWithSamples(t)
  const change = (sql: string): void => {
    const database = openDatabase(join(data, 'dateline.db'))
    database.exec(sql)
    database.close()
  }
  const clock = async (): Promise<[ok: boolean, text: string]> => {
    const { ok = false, text = '' } = (await check('--data-dir', data)).report.checks.find(({ name }) => name === 'clock') ?? {}
    return [ok, text.replace(/^it is \S+, and /, '')]
  }
  change(`UPDATE headline SET doc = json_set(doc, '$.updatedAt', '2099-01-01T00:00:00.000Z') WHERE seq = 1`)
  const found = 'something stored is of 2099-01-01T00:00:00.000Z'
  assert.deepEqual(await clock(), [true, `${found}: the clock was ahead once, and is not now: what was written then comes first in lists until it is changed`])
  change(`UPDATE audit SET doc = json_set(doc, '$.time', '2099-01-01T00:00:00.000Z') WHERE seq = (SELECT max(seq) FROM audit)`)
  assert.deepEqual(await clock(), [false, `${found}: set the clock of this machine`])
})

it('check judges what is stored in the database with flags: what holds, what has no effect, what cannot be used', async (t) => {
  const data = await siteWithBoss(t)
  const here = (...words: readonly string[]) => runCheaply([...words, '--data-dir', data])
  const checked = async (...words: readonly string[]): Promise<Readonly<Record<string, string>>> => {
    const { checks } = JSON.parse((await here('check', '--json', ...words)).stdout) as Report
    return Object.fromEntries(checks.map(({ name, ok, text }) => [name, `${ok ? 'ok' : 'FAIL'} ${text}`]))
  }
  assert.equal((await checked())['stored'], 'ok no settings: flags, variables and defaults hold')
  for (const words of [['appName', 'City News'], ['backupEvery', 'off'], ['mail', 'smtp://127.0.0.1:1', '--mail-ports', '1']])
    assert.equal((await here('settings', 'set', ...words)).code, 0)
  const stored = await checked()
  assert.equal(stored['stored'], 'ok 3 hold: appName, backupEvery, mail')
  assert.match(stored['backups'] ?? '', /^ok automatic backups are off: .*dateline settings set backupEvery 24h/)
  assert.match(stored['mail'] ?? '', /^FAIL Cannot deliver .*: fix that server, or the stored mail settings: see dateline settings list$/)
  const flagged = await checked('--app-name', 'Flag News', '--mail', 'console:', '--backup-every', '6h')
  assert.equal(flagged['stored'], 'ok none hold; without effect: appName (--app-name wins), backupEvery (--backup-every wins), mail (--mail wins)')
  assert.match(flagged['mail'] ?? '', /^ok /)
  assert.match(flagged['backups'] ?? '', /^ok every 6h/)
  const database = openDatabase(join(data, 'dateline.db'))
  database.exec(`INSERT INTO setting VALUES ('auditDays', '1', 0), ('later', 'x', 0), ('mailPassword', 'AAAA', 0);
    UPDATE setting SET value = 'smtp://me@127.0.0.1:1' WHERE name = 'mail'`)
  database.close()
  const wrong = await checked()
  for (const part of [
    /^FAIL the stored auditDays: expected a whole number from 30 to 3650 or 0, found 1: it is not used: set it again with dateline settings set auditDays, or/,
    /; later is no setting of this version, and has no effect: a newer version has stored it;/,
    /; mailPassword was sealed under another secret, and is not used: set it again with dateline settings set mail … --password-stdin, or/,
    /; the stored mail settings are not used: Cannot use --mail: expected a password with the user.*: set them again with dateline settings set mail, or/,
  ])
    assert.match(wrong['stored'] ?? '', part)
  assert.match(wrong['mail'] ?? '', /^ok /, 'the mail of the start is used')
})

it('a damaged database is reported by check, refused by serve, and mended by what both say', async (t) => {
  for (const spoil of [
    (data: string) => damage(data, 'headline'),
    (data: string) => truncateSync(join(data, 'dateline.db'), 400_000),
    (data: string) => writeFileSync(join(data, 'dateline.db'), 'x'.repeat(500_000)),
  ]) {
    const data = await siteWithSamples(t)
    assert.equal((await runCheaply(['backup', '--data-dir', data])).code, 0)
    spoil(data)
    const { wrong } = await check('--data-dir', data)
    const remedy = /run dateline restore "(.*\/backups\/dateline-\d{8}T\d{6}Z\.db)"$/
    const [line = '', ...more] = wrong
    assert.match(line, /^(?:schema|integrity): /)
    assert.match(line, remedy)
    assert.deepEqual(more, [], 'damage is told once')
    const refused = await runCheaply(['serve', '--port', '0', '--data-dir', data])
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    const sentence = /^Cannot read the database ".*": it is damaged, .*: see what .*, then run dateline restore ".*"\n$/
    assert.match(refused.stderr, sentence)
    const restored = await runCheaply(['restore', remedy.exec(line)?.[1] ?? '', '--data-dir', data])
    assert.equal(restored.code, 0, restored.stderr)
    assert.deepEqual((await check('--data-dir', data)).wrong, [])
  }
})

it('damage that is met at run time is a 503 with the reason in the log, and the rest goes on', async (t) => {
  const data = await siteWithSamples(t)
  const sound = readFileSync(join(data, 'dateline.db')).length
  damage(data, 'headline/updatedAt:desc,+title')
  assert.equal(readFileSync(join(data, 'dateline.db')).length, sound)
  const service = await serveCheaply(t, ['--data-dir', data])
  const token = await guestToken(service.url)
  const list = (query: string): Promise<Response> => get(service.url, `/api/v1/data?model=${query}`, token)
  const refused = await list('headline&sort=updatedAt:desc')
  assert.equal(refused.status, 503)
  assert.deepEqual(await refused.json(), {
    error: { code: 'networkError', message: 'The database cannot be used now: it is damaged' },
  })
  assert.equal((await list('topic')).status, 200)
  await service.end('SIGTERM')
  assert.match(service.output().stderr, /"event":"request\.unavailable".*malformed/)
})
