/** Files of other encodings than UTF-8, as spreadsheets and PowerShell write them: read whole, and resumed after an interruption. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { runHere } from '../support/service/in-process.ts'

const NAMES = Array.from({ length: 10 }, (_, i) => `Zürich – Köln ${i}`)
const CSV = ['name;description;iconUrl', ...NAMES.map((name, i) => (i === 1 ? ';“Größe”;' : `${name};“Größe”;`))].map((line) => `${line}\r\n`).join('')
/** Windows-1252 has these where Latin-1 has controls. */
const asWindows = (text: string): Buffer =>
  Buffer.from(text.replaceAll('–', '\x96').replaceAll('“', '\x93').replaceAll('”', '\x94'), 'latin1')
const exported = async (data: string): Promise<readonly string[]> => {
  const { stdout } = await runHere(['export', '--data-dir', data, '--model', 'topic'])
  return stdout.split('\n').filter((line) => line !== '').map((line) => (JSON.parse(line) as { name: string }).name).sort()
}

for (const [title, bytes] of [
  ['Windows-1252', asWindows(CSV)],
  ['UTF-16', Buffer.from(`\uFEFF${CSV}`, 'utf16le')],
  ['UTF-16', Buffer.from(`\uFEFF${CSV}`, 'utf16le').swap16()],
] as const) {
  it(`a file of ${title} that begins with ${bytes.subarray(0, 2).toString('hex')} is imported, and resumed where it was cut off`, async (t) => {
    const directory = temporaryDirectory(t)
    const [data, file] = [join(directory, 'data'), join(directory, 'topics.csv')]
    writeFileSync(file, bytes)
    const words = ['import', '--data-dir', data, '--model', 'topic', '--batch', '3']
    const interrupt = Promise.withResolvers<string>()
    const cut = await runHere([...words, file], {
      interrupted: interrupt.promise,
      onStderr: (text) => (text.includes('line 3:') ? interrupt.resolve('SIGINT') : undefined),
    })
    assert.match(cut.stderr, new RegExp(`^Reading "[^"]*" as ${title}\n`))
    assert.match(cut.stderr, /Interrupted before line 5: continue with --resume\n$/)
    const rest = await runHere([...words, '--resume', file])
    assert.match(rest.stdout, /^Imported topic: 9 inserted, 0 replaced, 0 unchanged, 1 rejected/)
    assert.deepEqual(await exported(data), NAMES.filter((_, i) => i !== 1))
  })
}

it('stdin of another encoding is read as such', async (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const input = Buffer.from(`\uFEFF${JSON.stringify({ name: NAMES[0], description: '', iconUrl: '' })}\r\n`, 'utf16le')
  const { code, stderr } = await runHere(['import', '--data-dir', data, '--model', 'topic', '--format', 'ndjson', '-'], { input })
  assert.deepEqual([code, stderr], [0, 'Reading "-" as UTF-16\n'])
  assert.deepEqual(await exported(data), [NAMES[0]])
})
