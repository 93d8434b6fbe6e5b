// gate: imports many rows
/**
 * A long file is checked in a thread ahead of its transactions; a pipe is not. Both store the same, whatever a row needs of
 * the database: the document that it replaces, one that an earlier row of the file stored, a reference.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { paysAhead } from '../../src/cli/import/import-ahead.ts'
import { countrySeeds, languageSeeds } from '../../src/content/seeds/seeds.ts'
import { seededRandom, seedOfRun, type Random } from '../../scripts/tools/random.ts'
import { runHere } from '../support/service/in-process.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const [ROWS, IDS, BATCH, CHARS] = [400, 150, 37, 4_000]
const DATE = '2026-03-01T08:00:00.000Z'
const [COUNTRY, LANGUAGE] = [countrySeeds()[0], languageSeeds()[0]]

function sourceRow(i: number, random: Random): object {
  const copies = random.oneIn(2)
    ? { language: LANGUAGE, headquarters: COUNTRY }
    : { language: { id: LANGUAGE?.['id'] }, headquarters: COUNTRY }
  const row = { id: `s${random.below(IDS)}`, createdAt: DATE, updatedAt: DATE, name: `Source ${i}`, url: '', ...copies }
  const wrong = [{ name: ' ' }, { language: { id: 'none' } }, { id: 7 }][random.below(9)]
  return { ...row, sourceType: 'blog', description: 'x'.repeat(CHARS), ...wrong }
}

it('a file that is checked ahead stores what the same rows from a pipe store', async (t) => {
  const random = seededRandom(seedOfRun())
  t.diagnostic(`SEED=${random.seed}`)
  const directory = temporaryDirectory(t)
  const file = join(directory, 'rows.ndjson')
  const text = Array.from({ length: ROWS }, (_, i) => `${JSON.stringify(sourceRow(i, random))}\n`).join('')
  writeFileSync(file, text)
  assert.equal(paysAhead(text.length), availableParallelism() > 1)
  const importFrom = async (name: string, operand: string, input: string) => {
    const words = ['--data-dir', join(directory, name), '--model', 'source']
    const rejects = join(directory, `${name}.rejects`)
    const flags = ['--keep', '--json', '--batch', String(BATCH), '--rejects', rejects]
    const { stdout } = await runHere(['import', ...words, ...flags, operand], { input })
    const { inserted, replaced, refused } = JSON.parse(stdout) as Record<string, number>
    const { stdout: documents } = await runHere(['export', ...words])
    return { counts: { inserted, replaced, refused }, documents, rejects: readFileSync(rejects, 'utf8') }
  }
  const ahead = await importFrom('ahead', file, '')
  assert.deepEqual(ahead, await importFrom('pipe', '-', text))
  for (const [name, count] of Object.entries(ahead.counts)) assert.ok(Number(count) > 20, `${count} ${name}`)
})
