// gate: starts the program as another user, over and over
// also: executable
/**
 * Commands that root runs on the data directory of a service with a user of its own: they left files of root there, and
 * automatic backups failed from then on or the service did not start.
 */
import assert from 'node:assert/strict'
import { chmodSync, chownSync, cpSync, lchownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runHere } from '../support/service/in-process.ts'
import { siteWithSamples } from '../support/service/made-site.ts'
import { run, serve, type Finished } from '../../scripts/tools/program.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'

/** A user that no machine has in its passwd. */
const OWNER = 61_234
const skip = process.geteuid?.() === 0 ? false : 'wants root, which alone may change its user'

interface Place {
  /** A directory of root that other users may enter. */
  readonly above: string
  readonly data: string
}

function place(t: Cleanup, uid = OWNER): Place {
  // The directory of the tests is closed to other users.
  const above = mkdtempSync('/tmp/dateline-test-')
  t.after(() => rmSync(above, { recursive: true, force: true }))
  chmodSync(above, 0o755)
  const data = join(above, 'data')
  mkdirSync(data, { mode: 0o700 })
  chownSync(data, uid, uid)
  return { above, data }
}

/** A place whose data directory is a site with the sample content. */
async function madePlace(t: Cleanup): Promise<Place> {
  const made = place(t)
  cpSync(await siteWithSamples(t), made.data, { recursive: true, preserveTimestamps: true })
  for (const name of readdirSync(made.data, { recursive: true, encoding: 'utf8' })) chownSync(join(made.data, name), OWNER, OWNER)
  return made
}

function ownersIn(directory: string): readonly number[] {
  const found = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => lstatSync(join(directory, name)).uid)
  return [...new Set(found)]
}

async function succeeds(words: readonly string[], data: string): Promise<Finished> {
  const finished = await run([...words, '--data-dir', data])
  assert.equal(finished.code, 0, finished.stderr)
  assert.match(finished.stderr, /^Works as user 61234, the owner of ".*data", and not as root$/m)
  return finished
}

describe('commands as root on the data directory of another user', { skip }, () => {
  it('name what that user may not read or write, and do not take it for missing', async (t) => {
    const { data } = await madePlace(t)
    const failure = async (...words: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run([...words, '--data-dir', data])
      assert.equal(code, 1, stderr)
      return (stdout + stderr).replace(/^Works as .*\n/m, '')
    }
    chmodSync(join(data, 'dateline.db'), 0o400)
    const unusable = `cannot read and write "dateline.db": permission denied\n`
    assert.equal(await failure('user', 'list'), `Cannot use the data directory "${data}": ${unusable}`)
    assert.ok((await failure('check')).includes(`FAIL  directory   ${unusable}`))
    chmodSync(data, 0)
    for (const words of [['user', 'list'], ['media', 'list'], ['seed']]) {
      assert.equal(await failure(...words), `Cannot use the data directory "${data}": permission denied\n`)
    }
  })

  it('leave it no file of root, and the service of that user starts and backs up', async (t) => {
    const { data } = place(t)
    for (const words of [['seed', '--yes'], ['admin', '--email', 'you@example.org', '--code'], ['backup'], ['settings', 'set', 'backupKeep', '3']]) {
      await succeeds(words, data)
      assert.deepEqual(ownersIn(data), [OWNER], words.join(' '))
    }
    const [backup = ''] = readdirSync(join(data, 'backups'))
    await succeeds(['restore', join(data, 'backups', backup)], data)
    const service = await serve(t, ['--data-dir', data], { before: ['setpriv', `--reuid=${OWNER}`, `--regid=${OWNER}`, '--clear-groups', '--'] })
    // The service may back up in the same second, under the name of that second.
    const { stdout } = await succeeds(['backup', '--to', join(data, 'backups', 'by-root.db'), '--json'], data)
    assert.equal(statSync((JSON.parse(stdout) as { file: string }).file).uid, OWNER)
    assert.equal(await service.end('SIGTERM'), 0)
    assert.deepEqual(ownersIn(data), [OWNER])
  })

  it('serve as root works as that user too, with its groups, and says so in the format of its log', async (t) => {
    const { data } = place(t)
    const service = await serve(t, ['--data-dir', data])
    const status = await run(['version'])
    assert.equal(status.stderr, '', 'a command without a data directory stays as it is')
    const { message } = await service.logged('start')
    assert.equal(message, `Works as user 61234, the owner of "${data}", and not as root`)
    assert.equal(await service.end('SIGTERM'), 0)
    assert.deepEqual(ownersIn(data), [OWNER])
  })

  it('a missing directory is made by the owner of the one above; root stays root in its own', async (t) => {
    const { data } = place(t)
    await run(['admin', '--yes', '--email', 'you@example.org', '--data-dir', join(data, 'site')])
    assert.deepEqual(ownersIn(data), [OWNER])
    const own = join(place(t, 0).above, 'own')
    const { code, stderr } = await run(['admin', '--yes', '--email', 'you@example.org', '--data-dir', own])
    assert.deepEqual([code, stderr.includes('Works as')], [0, false])
    assert.deepEqual(ownersIn(own), [0])
  })

  it('files that the owner may not use are refused before any work, with the reason', async (t) => {
    const { above, data } = await madePlace(t)
    const closed = join(above, 'of-root')
    mkdirSync(closed, { mode: 0o700 })
    writeFileSync(join(closed, 'rows.ndjson'), '')
    for (const [words, verb] of [
      [['backup', '--to', join(closed, 'new.db')], 'write'],
      [['export', '--model', 'headline', '--to', join(above, 'new.ndjson')], 'write'],
      [['import', '--model', 'headline', join(closed, 'rows.ndjson')], 'read'],
      [['import', '--model', 'headline', join(closed, 'none.ndjson')], 'read'],
      [['restore', join(closed, 'rows.ndjson')], 'read'],
    ] as const) {
      const { code, stderr } = await run([...words, '--data-dir', data])
      assert.equal(code, 2, stderr)
      assert.match(stderr, new RegExp(`Cannot ${verb} "${above}.*": the command works as user 61234, .* name a file that this user can ${verb}\\n$`))
    }
    assert.deepEqual(readdirSync(closed), ['rows.ndjson'])
  })

  it('attack: the owner plants links, and root does not write where they lead', async (t) => {
    const { above, data } = await madePlace(t)
    const target = join(above, 'precious')
    writeFileSync(target, 'precious', { mode: 0o644 })
    for (const name of ['dateline.lock', 'owner.json', 'secrets']) {
      rmSync(join(data, name), { force: true })
      symlinkSync(target, join(data, name))
    }
    symlinkSync(above, join(data, 'backups'))
    for (const words of [['backup'], ['seed'], ['admin', '--email', 'you@example.org', '--code'], ['restore', join(data, 'dateline.db')]]) {
      await run([...words, '--data-dir', data])
    }
    assert.deepEqual([statSync(target).mode & 0o777, statSync(target).size, readdirSync(above).sort()], [0o644, 8, ['data', 'precious']])
  })

  it('attack: a link of the owner leads to a directory of root', async (t) => {
    const { data } = place(t)
    const [own, link] = [place(t, 0).data, join(data, 'link')]
    symlinkSync(own, link)
    symlinkSync(own, join(own, '..', 'of-root'))
    lchownSync(link, OWNER, OWNER)
    const admin = ['admin', '--yes', '--email', 'you@example.org', '--data-dir']
    assert.notEqual((await run([...admin, link])).code, 0)
    assert.deepEqual(readdirSync(own), [])
    assert.equal((await run([...admin, join(own, '..', 'of-root')])).code, 0)
    assert.deepEqual(ownersIn(own), [0])
  })

  it('check names files of another user than that of the directory, and the command that helps', async (t) => {
    const { data } = await madePlace(t)
    await succeeds(['backup'], data)
    const permissions = async (): Promise<{ ok: boolean; text: string }> => {
      const { stdout } = await runHere(['check', '--json', '--data-dir', data])
      const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; text: string }[] }
      const { ok = false, text = '' } = checks.find(({ name }) => name === 'permissions') ?? {}
      return { ok, text }
    }
    assert.equal((await permissions()).ok, true)
    const [backup = ''] = readdirSync(join(data, 'backups'))
    for (const name of ['dateline.lock', `backups/${backup}`, 'backups', 'dateline.db']) {
      chownSync(join(data, name), 0, 0)
      const found = await permissions()
      assert.deepEqual(found, { ok: false, text: `not of user ${OWNER}, as the directory is: ${join(data, name)} (root): run chown -R ${OWNER}:${OWNER} "${data}"` })
      chownSync(join(data, name), OWNER, OWNER)
    }
    chownSync(join(data, 'dateline.db'), 0, 0)
    const { code, stderr } = await run(['backup', '--data-dir', data])
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`; but ".*dateline.db" belongs to root: run chown -R ${OWNER}:${OWNER} "${data}"\n`))
  })
})
