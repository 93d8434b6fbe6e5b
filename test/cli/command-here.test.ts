/** A command that the program prints, to be typed where it was started. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { programWord } from '../../src/config/command-here.ts'

it('the path of the program is one word for the shell of its system', () => {
  const paths = ['dateline', '../date line', "it's/dateline", String.raw`C:\Apps\dateline.exe`, String.raw`C:\My Apps\dateline.exe`]
  const typed = (platform: NodeJS.Platform) => paths.map((path) => programWord(path, platform))
  assert.deepEqual(typed('linux').slice(0, 3), ['dateline', "'../date line'", String.raw`'it'\''s/dateline'`])
  assert.deepEqual(typed('win32').slice(3), [String.raw`C:\Apps\dateline.exe`, String.raw`"C:\My Apps\dateline.exe"`])
})
