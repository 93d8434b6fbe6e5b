/** The note of a restore that has not ended, and when a directory with one may be used. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { beginRestore, requireRestored } from '../../src/store/backup/unfinished-restore.ts'

const NOTE = 'restore-unfinished.json'
const COMMAND = 'dateline restore --from file:///mnt/nas'

describe('a restore that has not ended', () => {
  it('keeps a directory without a database from use, and one whose database may be the restored one', (t) => {
    const path = temporaryDirectory(t)
    const begun = beginRestore({ path }, COMMAND)
    assert.throws(() => requireRestored(path), /was interrupted or still runs, and it has no database yet: run "dateline restore --from file:\/\/\/mnt\/nas" again, or remove ".*restore-unfinished\.json"/)
    writeFileSync(join(path, 'dateline.db'), '')
    assert.throws(() => requireRestored(path), /it has no database yet/)
    writeFileSync(join(path, 'dateline.db'), 'the one from before')
    requireRestored(path)
    begun.replacing()
    assert.throws(() => requireRestored(path), /the database may lack its secrets/)
    begun.end()
    requireRestored(path)
    assert.deepEqual(readdirSync(path), ['dateline.db'])
  })

  it('that is undone leaves what was there: nothing, or the note of the one before', (t) => {
    const path = temporaryDirectory(t)
    beginRestore({ path }, COMMAND).undo()
    assert.deepEqual(readdirSync(path), [])
    beginRestore({ path }, COMMAND).replacing()
    writeFileSync(join(path, 'dateline.db'), 'half')
    const before = readFileSync(join(path, NOTE), 'utf8')
    const second = beginRestore({ path }, 'dateline restore other.db')
    assert.throws(() => requireRestored(path), /may lack its secrets: run "dateline restore other\.db" again/)
    second.undo()
    assert.equal(readFileSync(join(path, NOTE), 'utf8'), before)
  })

  it('with a note that cannot be read is one whose database may be the restored one', (t) => {
    for (const text of ['', '{}', '[', '{"command":1,"isReplacing":false}', 'x'.repeat(20_000)]) {
      const path = temporaryDirectory(t)
      writeFileSync(join(path, 'dateline.db'), 'a database')
      writeFileSync(join(path, NOTE), text)
      assert.throws(() => requireRestored(path), /may lack its secrets: run "dateline restore" again/)
    }
    const path = temporaryDirectory(t)
    symlinkSync('/dev/zero', join(path, NOTE))
    assert.throws(() => requireRestored(path), /run "dateline restore" again/)
  })
})
