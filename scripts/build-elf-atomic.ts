/**
 * Frees Node for Linux from libatomic.so.1, which a standard Debian or Ubuntu does not have.
 *
 * V8 calls one function of that library, `__atomic_compare_exchange`, and only with values of 8 bytes, for which the
 * library itself uses the instruction of the processor. So that instruction goes into the unused end of the page behind
 * Node's code, the relocation of the function gets its address, and the library leaves the list of needed ones. Another
 * function of the library fails the build, another size ends the process with SIGILL or SIGTRAP.
 *
 * Layout: the System V ABI, chapters "Dynamic Section" and "Relocation", with the supplements for AMD64 and AArch64;
 * symbol versions: Linux Standard Base, "Symbol Versioning". The function: GCC's wiki, "Atomic/GCCMM/LIbrary".
 */
const LIBRARY = 'libatomic.so.1'
const FUNCTION = '__atomic_compare_exchange'

const [LOAD, DYNAMIC] = [1, 2] // PT_
const IS_CODE = 1 // PF_X
const [NEEDED, STRTAB, SYMTAB, RELA, RELASZ, JMPREL, PLTRELSZ] = [1n, 5n, 6n, 7n, 8n, 23n, 2n] // DT_
const [VERSYM, VERNEED, VERNEEDNUM] = [0x6ffffff0n, 0x6ffffffen, 0x6fffffffn] // DT_
const VERNEED_SECTION = 0x6ffffffe // SHT_GNU_verneed
const [WEAK, GLOBAL_VERSION] = [2, 1] // STB_WEAK, VER_NDX_GLOBAL
const [SEGMENT_BYTES, SECTION_BYTES, DYNAMIC_BYTES, SYMBOL_BYTES, RELOCATION_BYTES] = [56, 64, 16, 24, 24]
const CODE_ALIGNMENT = 16

interface Processor {
  /** bool __atomic_compare_exchange(size_t size, void *at, void *expected, void *desired, int success, int failure) */
  readonly code: Buffer
  /** The types of a relocation that is the address of a function: JUMP_SLOT and GLOB_DAT. */
  readonly functionAddress: readonly number[]
  /** The type of a relocation that is a fixed address in the file: RELATIVE. */
  readonly fixedAddress: number
}

/** By e_machine. All orders of memory are the strongest. */
const PROCESSORS: Readonly<Record<number, Processor>> = {
  62: {
    code: Buffer.from(
      '4883ff08' + // cmp rdi, 8
        '7519' + // jne trap
        '488b02' + // mov rax, [rdx]
        '488b09' + // mov rcx, [rcx]
        'f0480fb10e' + // lock cmpxchg [rsi], rcx
        '7506' + // jne differs
        'b801000000c3' + // mov eax, 1; ret
        '488902' + // differs: mov [rdx], rax
        '31c0c3' + // xor eax, eax; ret
        '0f0b', // trap: ud2
      'hex',
    ),
    functionAddress: [7, 6],
    fixedAddress: 8,
  },
  183: {
    code: instructions(
      0xf100201f, // cmp x0, 8
      0x540001c1, // b.ne trap
      0xf9400044, // ldr x4, [x2]
      0xf9400065, // ldr x5, [x3]
      0xc85ffc26, // again: ldaxr x6, [x1]
      0xeb0400df, // cmp x6, x4
      0x540000a1, // b.ne differs
      0xc807fc25, // stlxr w7, x5, [x1]
      0x35ffff87, // cbnz w7, again
      0x52800020, // mov w0, 1
      0xd65f03c0, // ret
      0xd5033f5f, // differs: clrex
      0xf9000046, // str x6, [x2]
      0x52800000, // mov w0, 0
      0xd65f03c0, // ret
      0xd4200020, // trap: brk 1
    ),
    functionAddress: [1026, 1025],
    fixedAddress: 1027,
  },
}

/** Returns the file without the need for libatomic; one that does not need it stays as it is. Throws where it cannot. */
export function withoutLibatomic(whole: Buffer): Buffer {
  const file = Buffer.from(whole)
  const { processor, segments, offsetOf } = readHead(file)
  const dynamic = segments.find(({ type }) => type === DYNAMIC)
  if (dynamic === undefined) return file
  const entries = Array.from({ length: dynamic.size / DYNAMIC_BYTES }, (_, i) => {
    const at = dynamic.offset + i * DYNAMIC_BYTES
    return { at, tag: file.readBigUInt64LE(at), value: Number(file.readBigUInt64LE(at + 8)) }
  })
  const valueOf = (tag: bigint): number => entries.find((entry) => entry.tag === tag)?.value ?? 0
  const nameAt = (offset: number): string => {
    const start = offsetOf(valueOf(STRTAB)) + offset
    return file.toString('latin1', start, file.indexOf(0, start))
  }
  const needed = entries.find(({ tag, value }) => tag === NEEDED && nameAt(value) === LIBRARY)
  if (needed === undefined) return file

  const versions = unlinkVersions(file, { first: offsetOf(valueOf(VERNEED)), count: valueOf(VERNEEDNUM), nameAt })
  const countAt = entries.find(({ tag }) => tag === VERNEEDNUM)?.at ?? fail('it has no symbol versions')
  file.writeBigUInt64LE(BigInt(valueOf(VERNEEDNUM) - 1), countAt + 8)

  const address = addCode(file, processor.code, segments)
  for (const [table, bytes] of [[valueOf(RELA), valueOf(RELASZ)], [valueOf(JMPREL), valueOf(PLTRELSZ)]] as const) {
    for (let at = offsetOf(table); at < offsetOf(table) + bytes; at += RELOCATION_BYTES) {
      const [type, index] = [file.readUInt32LE(at + 8), file.readUInt32LE(at + 12)]
      const [symbol, version] = [offsetOf(valueOf(SYMTAB)) + index * SYMBOL_BYTES, offsetOf(valueOf(VERSYM)) + index * 2]
      if (index === 0 || !versions.includes(file.readUInt16LE(version))) continue
      const name = nameAt(file.readUInt32LE(symbol))
      if (name !== FUNCTION) fail(`it also uses ${name}`)
      if (!processor.functionAddress.includes(type)) fail(`a relocation of ${name} has the type ${type}`)
      file.writeUInt32LE(processor.fixedAddress, at + 8)
      file.writeUInt32LE(0, at + 12)
      file.writeBigInt64LE(BigInt(address), at + 16)
      // The symbol stays, since others are known by their numbers; a loader looks for it no more.
      file.writeUInt8((file.readUInt8(symbol + 4) & 0xf) | (WEAK << 4), symbol + 4)
      file.writeUInt16LE(GLOBAL_VERSION, version)
    }
  }
  // Later entries move up; a null entry ends the list and fills the place that is left.
  file.copyWithin(needed.at, needed.at + DYNAMIC_BYTES, dynamic.offset + dynamic.size)
  file.fill(0, dynamic.offset + dynamic.size - DYNAMIC_BYTES, dynamic.offset + dynamic.size)
  return file
}

interface Segment {
  readonly at: number
  readonly type: number
  readonly flags: number
  readonly offset: number
  readonly address: number
  readonly size: number
}

interface Head {
  readonly processor: Processor
  readonly segments: readonly Segment[]
  readonly offsetOf: (address: number) => number
}

function readHead(file: Buffer): Head {
  const machine = file.readUInt16LE(18)
  const processor = PROCESSORS[machine] ?? fail(`there is no code for its processor (${machine})`)
  const segments = Array.from({ length: file.readUInt16LE(56) }, (_, i): Segment => {
    const at = Number(file.readBigUInt64LE(32)) + i * SEGMENT_BYTES
    const [offset, address, size] = [8, 16, 32].map((place) => Number(file.readBigUInt64LE(at + place))) as [number, number, number]
    return { at, type: file.readUInt32LE(at), flags: file.readUInt32LE(at + 4), offset, address, size }
  })
  const offsetOf = (address: number): number => {
    const segment = segments.find((one) => one.type === LOAD && address >= one.address && address < one.address + one.size)
    return segment === undefined ? fail(`nothing is loaded at ${address}`) : address - segment.address + segment.offset
  }
  return { processor, segments, offsetOf }
}

interface VersionTable {
  readonly first: number
  readonly count: number
  readonly nameAt: (offset: number) => string
}

/** Takes the library out of the chain of needed versions, and returns the numbers that its versions had. */
function unlinkVersions(file: Buffer, { first, count, nameAt }: VersionTable): readonly number[] {
  let [at, before] = [first, first]
  for (let i = 0; nameAt(file.readUInt32LE(at + 4)) !== LIBRARY; i++) {
    if (i === count - 1) fail('it needs no version of it')
    before = at
    at += file.readUInt32LE(at + 12)
  }
  const numbers: number[] = []
  let version = at + file.readUInt32LE(at + 8)
  for (let i = 0; i < file.readUInt16LE(at + 2); i++, version += file.readUInt32LE(version + 12))
    numbers.push(file.readUInt16LE(version + 6))
  const next = file.readUInt32LE(at + 12)
  if (next === 0) {
    file.writeUInt32LE(0, before + 12)
  } else {
    // The place becomes that of the next library: the first one's address is named elsewhere. Offsets count from the place.
    file.copyWithin(at, at + next, at + next + 16)
    file.writeUInt32LE(file.readUInt32LE(at + 8) + next, at + 8)
    if (file.readUInt32LE(at + 12) !== 0) file.writeUInt32LE(file.readUInt32LE(at + 12) + next, at + 12)
  }
  writeSectionCount(file, count - 1)
  return numbers
}

/** Tools count the libraries by the header of their section (sh_info); a loader follows the chain. */
function writeSectionCount(file: Buffer, count: number): void {
  const table = Number(file.readBigUInt64LE(40))
  for (let at = table; at < table + file.readUInt16LE(60) * SECTION_BYTES; at += SECTION_BYTES)
    if (file.readUInt32LE(at + 4) === VERNEED_SECTION) file.writeUInt32LE(count, at + 44)
}

/** Writes the code behind the segment of code, whose last page is mapped to its end. Returns its address. */
function addCode(file: Buffer, code: Buffer, segments: readonly Segment[]): number {
  const segment = segments.find(({ type, flags }) => type === LOAD && (flags & IS_CODE) !== 0) ?? fail('it has no code')
  const start = Math.ceil((segment.offset + segment.size) / CODE_ALIGNMENT) * CODE_ALIGNMENT
  const next = Math.min(...segments.map(({ offset }) => offset).filter((offset) => offset > segment.offset + segment.size - 1))
  if (start + code.length > next || file.subarray(start, start + code.length).some((byte) => byte !== 0))
    fail('there is no room behind its code')
  code.copy(file, start)
  const size = BigInt(start + code.length - segment.offset)
  for (const place of [32, 40]) file.writeBigUInt64LE(size, segment.at + place)
  return start - segment.offset + segment.address
}

function instructions(...words: readonly number[]): Buffer {
  const code = Buffer.alloc(words.length * 4)
  words.forEach((word, i) => code.writeUInt32LE(word, i * 4))
  return code
}

function fail(reason: string): never {
  throw new Error(`Cannot take ${LIBRARY} out of Node: ${reason}`)
}
