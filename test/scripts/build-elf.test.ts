import assert from 'node:assert/strict'
import { it } from 'node:test'
import { stripElf } from '../../scripts/build-elf.ts'

const HEADER = 64

interface Part {
  readonly name: string
  readonly loaded?: boolean
  readonly bytes: string
}

/** A small ELF file: one segment over what is loaded, the sections in the order given, and their names. */
function elf(parts: readonly Part[]): Buffer {
  const [segment, names] = [56, `\0${parts.map(({ name }) => `${name}\0`).join('')}.shstrtab\0`]
  const loaded = parts.filter((part) => part.loaded === true).map(({ bytes }) => bytes.length)
  const start = HEADER + segment
  const bodies = Buffer.from(parts.map(({ bytes }) => bytes).join('') + names)
  const head = Buffer.alloc(HEADER)
  head.write('\x7fELF\x02\x01\x01', 'latin1')
  head.writeBigUInt64LE(BigInt(HEADER), 32)
  head.writeBigUInt64LE(BigInt(start + bodies.length), 40)
  head.writeUInt16LE(1, 56)
  head.writeUInt16LE(parts.length + 2, 60)
  head.writeUInt16LE(parts.length + 1, 62)
  const program = Buffer.alloc(segment)
  program.writeBigUInt64LE(BigInt(start + loaded.reduce((sum, size) => sum + size, 0)), 32)
  let at = start
  const header = (name: string, flags: bigint, size: number): Buffer => {
    const one = Buffer.alloc(HEADER)
    one.writeUInt32LE(Buffer.from(names).indexOf(`\0${name}\0`) + 1, 0)
    one.writeUInt32LE(1, 4)
    one.writeBigUInt64LE(flags, 8)
    one.writeBigUInt64LE(BigInt(at), 24)
    one.writeBigUInt64LE(BigInt(size), 32)
    at += size
    return one
  }
  const sections = parts.map(({ name, loaded: isLoaded, bytes }) =>
    header(name, isLoaded === true ? 2n : 0n, bytes.length),
  )
  return Buffer.concat([
    head,
    program,
    bodies,
    Buffer.alloc(HEADER),
    ...sections,
    header('.shstrtab', 0n, names.length),
  ])
}

const TEXT: Part = { name: '.text', loaded: true, bytes: 'code code code' }
const SYMBOLS: Part = { name: '.symtab', bytes: 'symbols '.repeat(50) }

it('stripElf() keeps what is loaded at its place, and the names, and drops the rest', () => {
  const whole = elf([TEXT, SYMBOLS, { name: '.debug_info', bytes: 'debug'.repeat(100) }])
  const stripped = stripElf(whole)
  assert.ok(stripped.includes(TEXT.bytes) && stripped.includes('\0.shstrtab\0'))
  assert.ok(!stripped.includes('symbols ') && !stripped.includes('debugdebug'))
  assert.equal(stripped.indexOf(TEXT.bytes), whole.indexOf(TEXT.bytes))
  assert.equal(stripped.readUInt16LE(60), 3, 'the empty section, .text and the names')
  assert.equal(stripped.length, Number(stripped.readBigUInt64LE(40)) + 3 * HEADER, 'the table is the end')
})

it('stripElf() of a stripped file changes nothing', () => {
  const once = stripElf(elf([TEXT, SYMBOLS]))
  assert.deepEqual(stripElf(once), once)
})

for (const [name, file, message] of [
  ['a file that is none', Buffer.from('MZ'.repeat(200)), /expected an ELF file/],
  ['a file of 32 bits', Buffer.from(`\x7fELF\x01\x01${'\0'.repeat(200)}`, 'latin1'), /expected an ELF file/],
  ['a table that is cut off', elf([TEXT, SYMBOLS]).subarray(0, -10), /table of sections is cut off/],
  ['a loaded section behind others', elf([SYMBOLS, TEXT]), /follows one that is not/],
] as const) {
  it(`stripElf() refuses ${name}`, () => assert.throws(() => stripElf(file), message))
}

it('stripElf() refuses a section that reaches past the end', () => {
  const file = elf([TEXT, SYMBOLS])
  const table = Number(file.readBigUInt64LE(40))
  file.writeBigUInt64LE(1n << 40n, table + HEADER + 32)
  assert.throws(() => stripElf(file), /section 1 is cut off/)
})
