/** How the pieces of an imported file are sent again. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { NetworkError } from '../../src/client/client.ts'
import { asUtf8, firstText, PieceFailed, sendPieces, type ImportTotals } from '../../src/dashboard/screens/operations/import-pieces-sender.ts'
import type { ImportedPiece } from '../../src/models/responses.ts'

it('a piece whose response was lost, or that has failed, is sent again as it was, with its key', async () => {
  const file = new Blob([`${'x'.repeat(99)}\n`.repeat(3_000)])
  const sent: string[] = []
  const outcomes: readonly ('stored' | 'failed' | 'lost')[] = ['stored', 'lost', 'failed', 'failed', 'failed', 'stored', 'stored']
  const send = async ({ rows, line }: { rows: string; line: number }, key: string): Promise<ImportedPiece> => {
    const outcome = outcomes[sent.length]
    sent.push(`${key}: ${rows.length} from ${line}`)
    if (outcome === 'lost') throw new NetworkError('lost', { status: 0, code: 'noReply' })
    const failed = outcome === 'failed' ? { code: 'networkError', message: 'The disk is full' } : null
    const lines = rows.length / 100
    return { bytes: failed === null ? rows.length : 100, nextLine: line + lines, columns: [], separator: ',', inserted: lines, replaced: 0, unchanged: 0, rejected: [], sameAddress: [], stopped: null, failed }
  }
  let totals: ImportTotals | undefined
  const run = (): Promise<void> =>
    sendPieces(file, { send, importKey: 'k', isLarge: false, from: totals, isStopped: () => false, onPiece: (now) => void (totals = now) })
  await assert.rejects(run(), NetworkError)
  await assert.rejects(run(), PieceFailed)
  await run()
  const [first, second, third] = ['k 0 131000: 131000 from 1', 'k 131000 131000: 131000 from 1311', 'k 262000 38000: 38000 from 2621']
  assert.deepEqual(sent, [first, second, second, second, second, second, third])
  assert.deepEqual([totals?.inserted, totals?.bytes], [3_000, file.size])
})

for (const [encoding, bytes] of [
  ['windows-1252', Buffer.from('name\r\nZ\xfcrich \x96 K\xf6ln\r\n', 'latin1')],
  ['utf-16le', Buffer.from('\uFEFFname\r\nZürich – Köln\r\n', 'utf16le')],
  ['utf-16be', Buffer.from('\uFEFFname\r\nZürich – Köln\r\n', 'utf16le').swap16()],
  ['utf-8', Buffer.from('name\r\nZürich – Köln\r\n')],
] as const) {
  it(`a file of ${encoding} is previewed and sent as text`, async () => {
    const read = await asUtf8(new Blob([bytes]))
    assert.deepEqual([read.encoding, await firstText(read.file)], [encoding, 'name\r\nZürich – Köln\r\n'])
  })
}
