/** A mail program under the systemd unit: `sendmail` of Postfix failed there with a message of `postdrop` alone. */
import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { rightsWarnings } from '../../src/mail/settings/program-rights.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

it('rightsWarnings() names the program, or the helper of sendmail, that NoNewPrivileges takes rights from', { skip: process.platform === 'win32' && 'Windows has no such bits' }, (t) => {
  const directory = temporaryDirectory(t)
  const program = (name: string, mode: number): string => {
    const path = join(directory, name)
    writeFileSync(path, '')
    chmodSync(path, mode)
    return path
  }
  const [sendmail, msmtp, exim] = [program('sendmail', 0o755), program('msmtp', 0o755), program('exim4', 0o4755)]
  assert.deepEqual(rightsWarnings(sendmail, true), [])
  const postdrop = program('postdrop', 0o2755)
  assert.match(rightsWarnings(sendmail, true).join(), new RegExp(`^mail may fail: "${postdrop}" runs with rights of its own, .*--mail smtp://127\\.0\\.0\\.1`))
  assert.match(rightsWarnings(exim, true).join(), /^mail may fail: ".*exim4"/)
  assert.deepEqual([rightsWarnings(msmtp, true), rightsWarnings(sendmail, false), rightsWarnings(exim, false)], [[], [], []])
})
