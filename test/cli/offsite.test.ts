/** The commands of off-site backups: a key, a place, the loss of the machine, and the site on another one. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, it } from 'node:test'
import { runAndKill } from '../../scripts/killed/killed-site.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { s3Server } from '../../scripts/tools/offsite/s3-server.ts'
import { parseIdentityFile } from '../../src/age/age-keys.ts'
import { runHere } from '../support/service/in-process.ts'
import { beginRestore } from '../../src/store/backup/unfinished-restore.ts'
import { ownDataDir, prepareDataDir } from '../../src/store/db/data-dir.ts'
import { newSite, storedSite, topicsOf } from '../support/offsite/stored-site.ts'
import { ADMIN_EMAIL, startService } from '../support/service/service.ts'

describe('dateline restore --from', () => {
  it('makes the site on an empty machine: newest, with its secrets, or as it was at a time', async (t) => {
    const { dir, place, key, renamedAt, token } = await storedSite(t)
    const target = join(dir, 'new')
    const { code, stdout, stderr } = await runHere(['restore', '--from', place, '--identity', key, '--data-dir', target, '--yes'])
    assert.equal(code, 0, stderr)
    assert.match(stderr, /a snapshot of \d{4}-.*, with changes up to \d{4}-.*\nWritten by dateline .*country 249.*\nTo be fetched: /s)
    assert.match(stdout, /It is the site of .*: the snapshot of .*, and \d+ changes? behind it\nStart the service: .*serve .*--offsite/)
    assert.match(stdout, /Its 1 picture is there\n/)
    assert.equal(readdirSync(join(target, 'media'), { recursive: true }).filter((name) => String(name).endsWith('.gif')).length, 1)
    assert.deepEqual(topicsOf(target), ['Ports'])
    for (const name of ['secrets', 'backup-recipients', 'dateline.db']) assert.equal(statSync(join(target, name)).mode & 0o777, 0o600)
    assert.equal(readFileSync(join(target, 'secrets'), 'utf8'), readFileSync(join(dir, 'data', 'secrets'), 'utf8'))
    assert.deepEqual(readdirSync(target).filter((name) => name.startsWith('offsite')), [])
    // Who was signed in is signed in.
    const service = await startService(t, { dataDir: target }, { directory: join(dir, 'other'), start: Date.now() })
    assert.equal((await service.call('GET', '/api/v1/auth/me', { token })).at('data.email'), ADMIN_EMAIL)
    await service.stop()

    writeFileSync(join(target, 'backup-recipients'), 'of another key')
    const earlier = await runHere(['restore', '--from', place, '--identity', key, '--data-dir', target, '--yes', '--at', renamedAt, '--json'])
    assert.equal(earlier.code, 0, earlier.stderr)
    assert.match(String((JSON.parse(earlier.stdout) as { replaced: string }).replaced), /dateline\.db\.replaced-/)
    assert.deepEqual(topicsOf(target), ['Harbours'])
    assert.deepEqual(readdirSync(target).filter((name) => name.endsWith('.before-restore')), ['backup-recipients.before-restore'])
  })

  it('tells how many pictures the place lacks, and restores the rest', async (t) => {
    const { dir, place, key } = await storedSite(t)
    rmSync(join(dir, 'nas', 'pictures'), { recursive: true })
    const { code, stdout } = await runHere(['restore', '--from', place, '--identity', key, '--data-dir', join(dir, 'new'), '--yes'])
    assert.equal(code, 0)
    assert.match(stdout, /Warning: at file:.*, 1 of 1 picture missing or damaged: restore from another place, or upload them again/)
    assert.deepEqual(topicsOf(join(dir, 'new')), ['Ports'])
  })

  it('warns where changes are missing at the place, and says up to which time it restores', async (t) => {
    const { dir, place, key } = await storedSite(t)
    const changes = join(dir, 'nas', 'changes')
    const [name = ''] = readdirSync(changes, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.zst.age')).sort().slice(-1)
    const [, chain, first = '', last = '', rest] = /^([0-9a-f]+)\/(\d+)-(\d+)(-.*)$/.exec(name) ?? assert.fail(name)
    const behind = (text: string): string => String(Number(text) + 5).padStart(12, '0')
    renameSync(join(changes, name), join(changes, `${chain}/${behind(first)}-${behind(last)}${rest}`))
    const { code, stderr } = await runHere(['restore', '--from', place, '--identity', key, '--data-dir', join(dir, 'new'), '--yes'])
    assert.equal(code, 0, stderr)
    const wanted = `Warning: the place lacks the changes ${Number(first)} to ${Number(first) + 4}. Later ones, up to `
    assert.match(stderr, new RegExp(`${wanted}\\S+Z, do not follow without them: the site is restored up to \\S+Z\n`))
    assert.deepEqual(topicsOf(join(dir, 'new')), ['Harbours'])
  })

  // Which snapshot is taken, with which changes, is in test/offsite/offsite-work.test.ts.
  it('takes the snapshot before a damaged one, with the changes behind both, and says so', async (t) => {
    const site = await newSite(t, temporaryDirectory(t))
    const { dir, place, key } = site
    const service = await startService(t, { offsite: place }, { directory: dir, start: Date.now() + 120_000, isHere: true })
    await service.app.offsite.make()
    assert.equal((await service.data('POST', '', { model: 'topic' }, { token: site.token, body: { name: 'Quays', description: 'Ships.', iconUrl: 'https://example.org/i.png' } })).status, 201)
    service.advance(60_000)
    await service.app.offsite.wake()
    await service.stop()
    const snapshots = join(dir, 'nas', 'snapshots')
    const [first = '', second = ''] = readdirSync(snapshots).filter((name) => name.endsWith('.tar.zst.age')).sort()
    const restored = async (data: string, ...more: readonly string[]) => runHere(['restore', '--from', place, '--identity', key, '--data-dir', join(dir, data), '--yes', ...more])
    const damage = (name: string): void => {
      const bytes = readFileSync(join(snapshots, name))
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 20) ^ 1, bytes.length - 20)
      writeFileSync(join(snapshots, name), bytes)
    }
    damage(second)
    const once = await restored('once')
    assert.equal(once.code, 0, once.stderr)
    assert.match(once.stderr, new RegExp(`Warning: snapshots/${second}: [^\n]*: the snapshot of \\S+Z is taken in its place, with all changes behind that, also those behind the damaged one\n`))
    assert.deepEqual(topicsOf(join(dir, 'once')), ['Ports', 'Quays'])
    damage(first)
    const none = await restored('none')
    assert.notEqual(none.code, 0)
    assert.match(none.stderr, new RegExp(`snapshots/${first}: .*: there is no earlier snapshot\n`))
    assert.equal(existsSync(join(dir, 'none')), false)
  })

  it('that another process keeps out leaves the note of that one as it is', async (t) => {
    const { dir, place, key } = await storedSite(t)
    const data = prepareDataDir(join(dir, 'busy'))
    const lock = ownDataDir(data, { pid: process.pid, startedAt: '2026-11-24T09:30:00.000Z' })
    t.after(() => lock.release())
    const note = join(data.path, 'restore-unfinished.json')
    beginRestore(data, 'dateline restore that runs').replacing()
    const before = statSync(note, { bigint: true })
    const { code, stderr } = await runAndKill(['restore', '--from', place, '--identity', key, '--data-dir', data.path, '--yes'])
    assert.notEqual(code, 0)
    assert.match(stderr, /is using it/)
    const after = statSync(note, { bigint: true })
    // Not even for a moment: the other one may have ended by then, and what it wrote would be gone.
    assert.deepEqual([after.ino, after.mtimeNs], [before.ino, before.mtimeNs])
  })

  it('refuses what cannot be right, and leaves no directory behind', async (t) => {
    const { dir, place, key } = await storedSite(t)
    const target = join(dir, 'none')
    const other = join(dir, 'other.txt')
    await runHere(['backup', 'key', '--data-dir', join(dir, 'elsewhere'), '--to', other])
    writeFileSync(join(dir, 'typo.txt'), readFileSync(key, 'utf8').replace(/(KEY-1)(.)/, (_, begin: string, first: string) => `${begin}${first === 'Q' ? 'P' : 'Q'}`))
    const from = ['restore', '--data-dir', target, '--from', place, '--yes']
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [from, /--from needs --identity FILE/],
      [['restore', '--data-dir', target], /needs FILE, or --from PLACE/],
      [['restore', '--data-dir', target, 'a.db', '--at', '2026-01-01'], /--at needs --from PLACE/],
      [[...from, 'a.db', '--identity', key], /needs FILE, or --from PLACE/],
      [[...from, '--identity', join(dir, 'gone.txt')], /Cannot read the identity in .*gone\.txt": no such file/],
      [[...from, '--identity', join(dir, 'typo.txt')], /Expected an identity of age .*typing error/],
      [[...from, '--identity', other], /encrypted for other keys: name the identity file that was made for this place/],
      [[...from, '--identity', key, '--at', 'yesterday'], /expected a time such as 2026-11-24T09:30Z, found "yesterday"/],
      [[...from, '--identity', key, '--at', '2020-01-01T00:00Z'], /the oldest snapshot is of .*: choose a time from then on/],
      [['restore', '--data-dir', target, '--from', 'nas', '--identity', key, '--yes'], /Cannot use --from: expected s3:\/\/bucket\/prefix or file:/],
      [['restore', '--data-dir', target, '--from', pathToFileURL(join(dir, 'gone')).href, '--identity', key, '--yes'], /no such file or directory: mount the disk/],
      [['restore', '--data-dir', target, '--from', place, '--identity', key], /no terminal to ask on: restore without asking with --yes/],
    ]
    for (const [words, wanted] of cases) {
      const { code, stderr } = await runHere(words)
      assert.notEqual(code, 0, words.join(' '))
      assert.match(stderr, wanted)
      assert.equal(/AGE-SECRET-KEY-1\w/.test(stderr), false)
      assert.equal(readdirSync(dir).includes('none'), false, words.join(' '))
    }
  })

  it('reads a bucket by the keys of a file that others cannot read', async (t) => {
    const dir = temporaryDirectory(t)
    const server = await s3Server(t)
    const keys = join(dir, 'keys.txt')
    writeFileSync(keys, 'AKID:secret/key+of=tests\n', { mode: 0o644 })
    await runHere(['backup', 'key', '--data-dir', join(dir, 'data'), '--to', join(dir, 'key.txt')])
    const words = ['restore', '--from', `s3://backups/x?endpoint=${server.endpoint}`, '--identity', join(dir, 'key.txt'), '--data-dir', join(dir, 'new'), '--yes', '--offsite-keys-file', keys]
    assert.match((await runHere(words)).stderr, /--offsite-keys-file .* found mode 0644; run chmod 600 on it/)
    writeFileSync(join(dir, 'k2.txt'), 'AKID:secret/key+of=tests\n', { mode: 0o600 })
    const own = [...words.slice(0, -1), join(dir, 'k2.txt')]
    assert.match((await runHere(own)).stderr, /is a loopback address|name the host in --outbound-allow/)
    assert.match((await runHere([...own, '--outbound-allow', '127.0.0.1'])).stderr, /there is no snapshot: check the prefix of the address/)
  })
})

describe('dateline backup key', () => {
  it('writes over no file, and says where it cannot write', async (t) => {
    const dir = temporaryDirectory(t)
    const key = (file: string) => runHere(['backup', 'key', '--data-dir', join(dir, 'data'), '--to', join(dir, file), '--replace'])
    assert.equal((await key('key.txt')).code, 0)
    for (const file of ['key.txt', 'missing/key.txt', 'data']) {
      const { code, stderr } = await key(file)
      assert.equal(code, 2)
      assert.match(stderr, /^Cannot write the key to ".*": .*: choose a new file in a directory that is there\n/)
    }
  })

  it('prints the identity once, and keeps the recipient alone', async (t) => {
    const data = join(temporaryDirectory(t), 'data')
    const { code, stdout, stderr } = await runHere(['backup', 'key', '--data-dir', data])
    assert.equal(code, 0)
    assert.equal(parseIdentityFile(stdout).length, 1)
    assert.match(stderr, /in two places outside of this machine/)
    const kept = readFileSync(join(data, 'backup-recipients'), 'utf8')
    assert.match(kept, /^age1[a-z0-9]{58}\n$/)
    assert.ok(stdout.includes(kept.trim()))
    for (const name of readdirSync(data)) assert.equal(readFileSync(join(data, name), 'latin1').includes('AGE-SECRET-KEY'), false)
    const again = await runHere(['backup', 'key', '--data-dir', data])
    assert.match(again.stderr, /encrypted for a key already .*: add another with --add, or use another from now on with --replace/)
    const both = await runHere(['backup', 'key', '--data-dir', data, '--add', '--replace'])
    assert.deepEqual([both.code, both.stdout], [2, ''])
    assert.match(both.stderr, /takes --add or --replace, found both/)
    assert.equal(readFileSync(join(data, 'backup-recipients'), 'utf8'), kept)
    assert.equal((await runHere(['backup', 'key', '--data-dir', data, '--add'])).code, 0)
    assert.match(readFileSync(join(data, 'backup-recipients'), 'utf8'), /^age1\w+\nage1\w+\n$/)
    assert.equal((await runHere(['backup', 'key', '--data-dir', data, '--replace', '--recipient', kept.trim()])).code, 0)
    assert.equal(readFileSync(join(data, 'backup-recipients'), 'utf8'), kept)
    const secret = /AGE-SECRET-KEY-\S+/.exec(stdout)?.[0] ?? ''
    const wrong = await runHere(['backup', 'key', '--data-dir', data, '--add', '--recipient', secret])
    assert.match(wrong.stderr, /found a secret key/)
    assert.equal(wrong.stderr.includes(secret), false)
  })
})
