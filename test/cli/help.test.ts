// also: executable
/** The manual that is inside the program. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { GUIDES } from '../../src/guides/guides.ts'
import { runCheaply, runHere } from '../support/service/in-process.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('dateline help', () => {
  it('lists the guides, which are those of the directory', async () => {
    const { code, stdout } = await runCheaply(['help'])
    assert.equal(code, 0)
    const [, listed = ''] = /^Guides:\n(.*?)\n\n/ms.exec(stdout) ?? []
    const topics = [...listed.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(([, topic = '']) => topic)
    assert.deepEqual(topics, GUIDES.map(({ topic }) => topic))
    const files = globSync('data/guides/*.md', { cwd: ROOT }).map((path) => path.slice('data/guides/'.length, -'.md'.length))
    assert.deepEqual(topics.toSorted(), files.sort())
  })

  it('prints each guide, wrapped and plain', async () => {
    for (const { topic } of GUIDES) {
      const { code, stdout, stderr } = await runCheaply(['help', topic])
      assert.deepEqual([code, stderr], [0, ''])
      const start = stdout.search(/^[A-Z][^\n]+\n=+\n\n/m)
      assert.equal(start === 0, !['mail', 'client', 'settings'].includes(topic), 'there are commands for these as well')
      assert.doesNotMatch(stdout, /[^\n\P{Cc}]/u, 'no control characters')
      const long = stdout.slice(start).split('\n').filter((line) => line.length > 80 && !line.startsWith('    ') && line.includes(' '))
      assert.deepEqual(long, [], topic)
    }
  })

  it('wraps to the columns of the terminal, and to 40 where it has fewer', async () => {
    for (const [columns, width] of [[50, 50], [20, 40]] as const) {
      const { stdout } = await runHere(['help', 'moving-data'], { columns })
      const lines = stdout.split('\n').filter((line) => !line.startsWith('    ') && line.includes(' '))
      const longest = Math.max(...lines.map((line) => line.length))
      assert.ok(longest > width - 10 && longest <= width, `${longest}`)
    }
  })

  for (const { words, says } of [
    { words: ['help', 'moving-dta'], says: 'Unknown topic "moving-dta": did you mean "moving-data"?\n' },
    { words: ['help', 'srve'], says: 'Unknown topic "srve": did you mean "serve"?\n' },
    { words: ['help', 'frobnicate'], says: 'Unknown topic "frobnicate": see "dateline help"\n' },
    { words: ['moving-data'], says: 'Unknown command "moving-data": see "dateline help"\n' },
  ]) {
    it(`refuses ${words.join(' ')}`, async () => {
      assert.deepEqual(await runCheaply(words), { code: 2, stdout: '', stderr: says })
    })
  }
})
