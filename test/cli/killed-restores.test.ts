// gate: kills restores again and again
/** `dateline restore --from` and the restore of the first-run page, killed at moments of their work. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { killAfter, runAndKill, watchNames } from '../../scripts/killed/killed-site.ts'
import { serve } from '../../scripts/tools/program.ts'
import { storedSite, topicsOf } from '../support/offsite/stored-site.ts'
import { runHere } from '../support/service/in-process.ts'
import { post } from '../support/service/program-calls.ts'
import { ADMIN_EMAIL } from '../support/service/service.ts'

/** Moments of a restore. */
const KILLS = 6

describe('a restore from a place of off-site backups', () => {
  it('that is killed leaves nothing that a service takes for a site; it names what to run again, which goes over what is left', async (t) => {
    const { dir, place, key } = await storedSite(t)
    const secrets = readFileSync(join(dir, 'data', 'secrets'), 'utf8')
    const words = (data: string) => ['restore', '--from', place, '--identity', key, '--data-dir', data, '--yes']
    const isWhole = (data: string): boolean => topicsOf(data)[0] === 'Ports' && readFileSync(join(data, 'secrets'), 'utf8') === secrets
    const emptyDirectory = (name: string): string => {
      mkdirSync(join(dir, name), { mode: 0o700 })
      return join(dir, name)
    }
    const first = emptyDirectory('uninterrupted')
    let changes = 0
    assert.equal((await runAndKill(words(first), undefined, () => watchNames(first, () => changes++))).code, 0)
    assert.ok(isWhole(first) && changes > KILLS)
    let refused = 0
    for (let n = 1; n <= KILLS; n++) {
      const data = emptyDirectory(`killed-${n}`)
      await runAndKill(words(data), undefined, (kill) => killAfter(data, Math.floor((n * changes) / (KILLS + 1)), kill))
      const opened = await runHere(['token', '--data-dir', data, '--email', ADMIN_EMAIL])
      if (opened.stderr.includes('a restore into it was interrupted')) {
        refused++
        assert.equal((await runHere(['serve', '--data-dir', data, '--port', '0'])).stderr.includes(opened.stderr.trim()), true)
        const wanted = `run ".* restore --from ${place} --identity ${key} --data-dir \\"${data}\\"" again, or remove "${data}/restore-unfinished.json"`
        assert.match(opened.stderr, new RegExp(wanted.replaceAll('\\"', '"')))
      } else assert.ok(isWhole(data), `after ${n} of ${KILLS}: ${readdirSync(data).join(' ')}`)
      const again = await runHere(words(data))
      assert.equal(again.code, 0, again.stderr)
      assert.ok(isWhole(data))
      assert.deepEqual(readdirSync(data).filter((name) => /restoring|unfinished|\.new$/.test(name)), [])
    }
    assert.ok(refused > 0, 'no kill came in the middle')
  })

  it('in the first-run page leaves what the command leaves where the service is killed, with the same remedy', async (t) => {
    const { dir, place, key } = await storedSite(t)
    const secrets = readFileSync(join(dir, 'data', 'secrets'), 'utf8')
    const isWhole = (data: string): boolean => topicsOf(data)[0] === 'Ports' && readFileSync(join(data, 'secrets'), 'utf8') === secrets
    /** Restores into a new service, and kills it at a change of its directory; gives the number of changes. */
    const restoreAndKill = async (data: string, at = Infinity): Promise<number> => {
      const { url, child, output, end, logged } = await serve(t, ['--data-dir', data, '--print-setup'])
      const [, token] = /#setup=(\S+)/.exec(output().stdout) ?? assert.fail()
      let changes = 0
      const unwatch = watchNames(data, () => ++changes === at && child.kill('SIGKILL'))
      const body = { token, place, keys: '', identity: readFileSync(key, 'utf8'), at: '' }
      const response = await post(url, '/api/v1/auth/setup/restore', body).catch(() => undefined)
      if (at === Infinity) {
        assert.equal(response?.status, 200)
        await logged('restore.replaced')
      }
      await end(at === Infinity ? 'SIGTERM' : 'SIGKILL')
      unwatch()
      return changes
    }
    const first = join(dir, 'uninterrupted')
    const changes = await restoreAndKill(first)
    assert.ok(isWhole(first) && changes > KILLS)
    const found = { new: 0, refused: 0, whole: 0 }
    for (let n = 1; n <= KILLS; n++) {
      const data = join(dir, `killed-${n}`)
      await restoreAndKill(data, Math.ceil((n * changes) / (KILLS + 1)))
      const next = await runHere(['serve', '--data-dir', data, '--port', '0'])
      const isRefused = next.stderr.includes('a restore into it was interrupted')
      assert.equal(next.code === 0, !isRefused, next.stderr)
      if (isRefused) assert.match(next.stderr, new RegExp(`run ".* restore --from ${place} --identity FILE-WITH-THE-IDENTITY .*" again`))
      const became = isRefused ? 'refused' : isWhole(data) ? 'whole' : 'new'
      found[became]++
      if (became === 'new') assert.deepEqual(topicsOf(data), [])
      const again = await runHere(['restore', '--from', place, '--identity', key, '--data-dir', data, '--yes'])
      assert.equal(again.code, 0, again.stderr)
      assert.ok(isWhole(data))
      assert.deepEqual(readdirSync(data).filter((name) => /restoring|unfinished|to-restore|note|\.new$/.test(name)), [])
    }
    assert.ok(found.new > 0 && found.whole > 0, JSON.stringify(found))
  })
})
