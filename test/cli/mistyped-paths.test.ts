/**
 * A path that is mistyped must leave nothing behind: an empty data directory looks like a site that has lost all its
 * data, and a backup in a directory that was made for it is not on the disk that the operator meant.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runHere } from '../support/service/in-process.ts'
import { siteWithSamples } from '../support/service/made-site.ts'
import { suiteCleanup, temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

describe('a mistyped path', () => {
  const cleanup = suiteCleanup(after)
  const directory = temporaryDirectory(cleanup)
  let data = ''
  const copy = join(directory, 'copy.db')

  before(async () => {
    data = await siteWithSamples(cleanup)
    assert.equal((await runHere(['backup', '--data-dir', data, '--to', copy])).code, 0)
    writeFileSync(join(directory, 'notes.txt'), 'no database')
    writeFileSync(join(directory, 'other.csv'), 'x,y\n')
    mkdirSync(join(directory, 'empty'))
  })

  const at = (...names: string[]): string => join(directory, ...names)
  /** Without what SQLite keeps beside a database that is read. */
  const names = (): readonly string[] =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => !/-(?:wal|shm)$/.test(name))
      .sort()
  const refused = async (words: readonly string[], message: RegExp, wanted = 1): Promise<void> => {
    const left = names()
    const { code, stdout, stderr } = await runHere(words)
    assert.deepEqual([code, stdout], [wanted, ''], stderr)
    assert.match(stderr, message)
    assert.deepEqual(names(), left, 'nothing is left behind')
  }

  it('backup --to a directory that does not exist is refused, and makes none', () =>
    refused(
      ['backup', '--data-dir', data, '--to', at('mnt', 'usb', 'copy.db')],
      /^Cannot back up ".*": there is no directory ".*usb": make it first, or choose another with --to\n$/,
    ))

  it('backup --to a file below a file is refused', () =>
    refused(['backup', '--data-dir', data, '--to', at('notes.txt', 'copy.db')], /is not a directory/))

  for (const [name, file, message] of [
    ['that does not exist', 'none.db', /there is no such file/],
    ['that is no database', 'notes.txt', /is no database of SQLite/],
    ['that is a directory', 'empty', /it is no file/],
  ] as const) {
    it(`restore of a file ${name} makes no data directory, and leaves one as it was`, async () => {
      for (const directory of [at('new', 'deep'), at('empty'), data]) await refused(['restore', at(file), '--data-dir', directory], message)
    })
  }

  it('restore into a new directory still works, and says that nothing was there', async () => {
    const { code, stdout } = await runHere(['restore', copy, '--data-dir', at('moved')])
    assert.equal(code, 0)
    assert.match(stdout, /^Restored .*\nThat directory had no database before\nIts 32 pictures are there\n$/)
    assert.ok(existsSync(at('moved', 'dateline.db')))
  })

  const topic = ['--model', 'topic']
  const noCertificate = ['--tls-cert', 'none.pem', '--tls-key', 'none.pem']
  for (const [name, words, message, code] of [
    ['import of a file that does not exist', ['import', ...topic, 'none.ndjson'], /no such file/],
    ['import of a directory', ['import', ...topic, '.'], /is a directory/],
    ['import --resume', ['import', ...topic, '--resume', 'other.csv'], /it has no database: name another with --data-dir\n$/],
    ['import of another CSV file', ['import', ...topic, 'other.csv'], /has no column "x"/],
    ['import with --rejects nowhere', ['import', ...topic, '--rejects', 'no/rejects', '-'], /Cannot write .*: no such file/],
    ['export of a directory that does not exist', ['export', ...topic], /it has no database: name another with --data-dir\n$/],
    ['user list', ['user', 'list'], /it has no database: name another with --data-dir\n$/],
    ['user delete', ['user', 'delete', 'a@example.org', '--yes'], /has no database/],
    ['token', ['token', '--email', 'a@example.org'], /has no database/],
    ['mail outbox', ['mail', 'outbox'], /has no database/],
    ['explain', ['explain', ...topic], /it has no database: name another with --data-dir\n$/],
    ['audit', ['audit'], /it has no database/],
    ['serve without its certificate', ['serve', '--port', '0', ...noCertificate], /Cannot read the certificate/, 2],
    ['serve with a socket nowhere', ['serve', '--listen', 'unix:no/dateline.sock'], /Cannot listen on "unix:.*": no such file/],
    ['serve with --token-file', ['serve', '--port', '0', '--token-file', 'no/token'], /Cannot write the token to ".*": no/],
  ] as const) {
    it(`${name} makes no data directory`, () =>
      refused([...words.map((word) => (word === 'other.csv' ? at(word) : word)), '--data-dir', at('new')], message, code))
  }

  it('export --to a directory that does not exist is refused, and makes none', () =>
    refused(['export', '--data-dir', data, '--model', 'topic', '--to', at('no', 'x.ndjson')], /no such file/))
})
