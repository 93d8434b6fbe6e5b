/** Files that others put into a folder are handed over once, whatever else stands there. Not on Windows: its names and links differ. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createInbox, prepareInbox, type Taken } from '../../src/base/inbox.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const DONE: Taken = { isRejected: false, notes: [] }

function openFolder(t: Cleanup, take: (text: string, name: string) => Taken | Promise<Taken> = () => DONE) {
  const directory = temporaryDirectory(t)
  const taken: [name: string, text: string][] = []
  const refused: string[] = []
  const stuck: string[] = []
  let clock = NOW
  const open = () =>
    createInbox({
      ...{ directory, bytesMax: 100, now: () => clock },
      async take(bytes, name) {
        const text = Buffer.from(bytes).toString('utf8')
        taken.push([name, text])
        return take(text, name)
      },
      onRefused: (name, reason) => void refused.push(`${name}: ${reason}`),
      onStuck: (name, reason) => void stuck.push(`${name}: ${reason}`),
    })
  const look = async (inbox: ReturnType<typeof open>, times = 1): Promise<void> => {
    for (let n = 0; n < times; n++) await inbox.takeFiles(() => false)
  }
  const path = (...names: string[]): string => join(directory, ...names)
  const put = (name: string, text = 'text'): void => writeFileSync(path(name), text)
  const list = (name: string): string[] => readdirSync(path(name)).sort()
  /** What stands beside a rejected file. */
  const notes = (): string[] => list('rejected').filter((name) => name.endsWith('.txt')).map((name) => readFileSync(path('rejected', name), 'utf8'))
  return { directory, path, put, list, notes, taken, refused, stuck, open, look, advance: (ms: number) => void (clock += ms) }
}

describe('an inbox', () => {
  it('hands over a file that is the same in two looks, in the order of the names, and moves it', async (t) => {
    const { put, list, taken, open, look } = openFolder(t)
    const inbox = open()
    await look(inbox)
    put('b.xml', 'two')
    put('a.xml', 'one')
    await look(inbox)
    assert.deepEqual(taken, [])
    await look(inbox, 3)
    assert.deepEqual(taken, [['a.xml', 'one'], ['b.xml', 'two']])
    assert.deepEqual([list('done'), list('.')], [['20260301T120000.000Z-1-a.xml', '20260301T120000.000Z-2-b.xml'], ['done', 'rejected']])
    put('a.xml', 'again')
    await look(inbox, 2)
    assert.deepEqual([taken.length, list('done').length], [3, 3])
  })

  it('waits for a file that grows, and takes none that begins with a dot or ends in .part', async (t) => {
    const { path, put, list, taken, open, look } = openFolder(t)
    const inbox = open()
    await look(inbox)
    for (const name of ['.hidden', '.xml.part', 'a.xml.part', 'b.PART', 'growing.xml']) put(name)
    for (let n = 0; n < 3; n++) {
      await look(inbox)
      appendFileSync(path('growing.xml'), '+')
    }
    assert.deepEqual(taken, [])
    renameSync(path('a.xml.part'), path('a.xml'))
    await look(inbox, 2)
    assert.deepEqual([taken, list('.')], [[['a.xml', 'text'], ['growing.xml', 'text+++']], ['.hidden', '.xml.part', 'b.PART', 'done', 'rejected']])
  })

  it('puts the reason beside a file that is rejected, and notes beside one that is not', async (t) => {
    const { put, list, notes, open, look, path } = openFolder(t, (text) => ({ isRejected: text === 'bad', notes: text === 'good' ? [] : ['One reason', 'and another'] }))
    const inbox = open()
    await look(inbox)
    for (const text of ['bad', 'good', 'so so']) put(text, text)
    await look(inbox, 2)
    assert.deepEqual([list('rejected'), notes()], [['20260301T120000.000Z-1-bad', '20260301T120000.000Z-1-bad.txt'], ['One reason\nand another\n']])
    assert.deepEqual(list('done'), ['20260301T120000.000Z-2-good', '20260301T120000.000Z-3-so so', '20260301T120000.000Z-3-so so.txt'])
    assert.equal(readFileSync(path('done', '20260301T120000.000Z-3-so so'), 'utf8'), 'so so')
  })

  it('leaves a file that cannot be taken now, holds up no other, and tries it again a minute later', async (t) => {
    let isFull = true
    const { put, list, taken, stuck, open, look, advance } = openFolder(t, (text) => {
      if (text === 'first' && isFull) throw Object.assign(new Error('x'), { code: 'ENOSPC' })
      return DONE
    })
    const inbox = open()
    await look(inbox)
    put('a', 'first')
    put('b', 'second')
    await look(inbox, 5)
    assert.deepEqual([taken.length, stuck, list('done')], [2, ['a: the disk is full'], ['20260301T120000.000Z-1-b']])
    isFull = false
    advance(60_000)
    await look(inbox, 2)
    assert.deepEqual([taken.length, list('done').length], [3, 2])
  })

  it('hands a file over again where the process ended before it was moved', async (t) => {
    const { put, list, taken, open, look } = openFolder(t, () => {
      if (taken.length === 1) throw new Error('killed')
      return DONE
    })
    const first = open()
    await look(first)
    put('a')
    await look(first, 2)
    await look(open(), 2)
    assert.deepEqual([taken.length, list('done').length], [2, 1])
  })

  it('stops between two files', async (t) => {
    const { put, taken, open, look } = openFolder(t)
    const inbox = open()
    await look(inbox)
    for (const name of ['a', 'b', 'c']) put(name)
    await look(inbox)
    await inbox.takeFiles(() => taken.length === 2)
    assert.equal(taken.length, 2)
  })
})

describe('attack: what stands in an inbox', () => {
  it('as a link is not followed, as a pipe not opened, and as a directory left alone', async (t) => {
    const { path, put, list, notes, taken, refused, open, look } = openFolder(t)
    const inbox = open()
    await look(inbox)
    symlinkSync('/etc/passwd', path('a.xml'))
    symlinkSync(path('nothing'), path('b.xml'))
    execFileSync('mkfifo', [path('c.xml')])
    mkdirSync(path('d.xml'))
    put('e.xml', 'a'.repeat(101))
    put('f.xml', 'a'.repeat(100))
    await look(inbox, 2)
    assert.deepEqual(taken.map(([name]) => name), ['f.xml'])
    assert.deepEqual(refused.map((one) => one.slice(0, 5)), ['a.xml', 'b.xml', 'c.xml', 'e.xml'])
    assert.deepEqual(notes(), ['Expected a file, found a symbolic link\n', 'Expected a file, found a symbolic link\n', 'Expected a file, found a pipe\n', 'Expected at most 100 bytes, found 101\n'])
    assert.deepEqual(list('.'), ['d.xml', 'done', 'rejected'])
    assert.ok(existsSync('/etc/passwd'))
  })

  it('under a name with line ends, marks that turn text and bytes that are no text, is taken and shown without them', async (t) => {
    const { directory, list, taken, open, look } = openFolder(t)
    const inbox = open()
    await look(inbox)
    const names = [Buffer.from('-rf ;$(x)'), Buffer.from('a\nb\u202e.xml'), Buffer.from([0x63, 0xff, 0x2e]), Buffer.from('é'.repeat(127))]
    for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), name]), 'text')
    await look(inbox, 2)
    assert.deepEqual(taken.map(([name]) => name), ['-rf ___x_', 'a_b_.xml', 'c_.', 'é'.repeat(100)])
    assert.deepEqual([list('done').length, list('.')], [4, ['done', 'rejected']])
  })

  it('and changes while it is read, is left for the next look', async (t) => {
    const { path, put, taken, open, look } = openFolder(t)
    const inbox = open()
    await look(inbox)
    put('a', 'long enough')
    await look(inbox)
    truncateSync(path('a'), 3)
    await look(inbox)
    assert.deepEqual(taken, [])
    await look(inbox)
    assert.deepEqual(taken, [['a', 'lon']])
  })

  it('in thousands is taken a thousand at a time', async (t) => {
    const { put, list, taken, open, look } = openFolder(t)
    const inbox = open()
    await look(inbox)
    for (let n = 0; n < 1_001; n++) put(`${n}`)
    await look(inbox, 2)
    assert.equal(taken.length, 1_000)
    await look(inbox, 2)
    assert.deepEqual([taken.length, new Set(taken.map(([name]) => name)).size, list('done').length], [1_001, 1_001, 1_001])
  })

  it('in place of the folders for what is done, is told, and nothing is written through it', async (t) => {
    const { path, put, open, look, taken } = openFolder(t)
    const elsewhere = temporaryDirectory(t)
    mkdirSync(path('done'))
    symlinkSync(elsewhere, path('rejected'))
    put('a')
    await assert.rejects(look(open()), { message: 'expected a directory "rejected" in it, found a symbolic link' })
    assert.deepEqual([taken, readdirSync(elsewhere)], [[], []])
  })
})

describe('prepareInbox()', () => {
  it('makes its folders in an empty one, with its rights', async (t) => {
    const { directory, put, list } = openFolder(t)
    put('.keep')
    execFileSync('chmod', ['0770', directory])
    await prepareInbox(directory)
    await prepareInbox(directory)
    assert.deepEqual(list('.'), ['.keep', 'done', 'rejected'])
    assert.equal(execFileSync('stat', ['-c', '%a', join(directory, 'done')], { encoding: 'utf8' }), '770\n')
  })

  it('moves no files away where a path was mistyped', async (t) => {
    const { directory, put, path, list } = openFolder(t)
    put('letter.txt')
    await assert.rejects(prepareInbox(directory), /^Error: expected an empty folder: it has other files, which would be moved\. Make "done" and "rejected" in it/)
    assert.deepEqual(list('.'), ['letter.txt'])
    await assert.rejects(prepareInbox(path('letter.txt')), { message: 'expected a directory, found a file' })
    await assert.rejects(prepareInbox(path('none')), { code: 'ENOENT' })
  })
})
