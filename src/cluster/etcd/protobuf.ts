/**
 * The wire format of protobuf (https://protobuf.dev/programming-guides/encoding/): a message is a sequence of fields,
 * each a number, a wire type and a value. What the fields mean is the business of `etcd-messages.ts`.
 *
 * Input comes from another machine: every length is checked against the bytes that are there, and the number of fields
 * is bounded, as a field of two bytes becomes an object in memory.
 */

/** A varint holds 64 bits in groups of 7. */
const VARINT_BYTES_MAX = 10
const FIELD_NUMBER_MAX = 2 ** 29 - 1
/** Maximum fields of one message: a batch of a watch has 1,000 revisions. */
const FIELDS_MAX = 100_000

const [VARINT, FIXED_64, LENGTH_DELIMITED, FIXED_32] = [0, 1, 2, 5]

export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
}

/** A message that is being built: its bytes in parts, so that a nested value of several MiB is copied once. */
export interface ProtoMessage {
  readonly parts: readonly Uint8Array[]
  readonly length: number
}

export type ProtoValue = number | bigint | boolean | string | Uint8Array | ProtoMessage

/** Builds a message. Fields that are undefined are left out; zeros are written, as members of a oneof must be. */
export function protoMessage(
  ...fields: readonly (readonly [number: number, value: ProtoValue | undefined])[]
): ProtoMessage {
  const parts: Uint8Array[] = []
  for (const [number, value] of fields) {
    if (value !== undefined) parts.push(...fieldParts(number, value))
  }
  return { parts, length: parts.reduce((sum, { length }) => sum + length, 0) }
}

function fieldParts(number: number, value: ProtoValue): readonly Uint8Array[] {
  if (typeof value === 'string') return fieldParts(number, Buffer.from(value))
  if (typeof value === 'object') {
    const head = Uint8Array.from([...varint(number * 8 + LENGTH_DELIMITED), ...varint(value.length)])
    return 'parts' in value ? [head, ...value.parts] : [head, value]
  }
  return [Uint8Array.from([...varint(number * 8 + VARINT), ...varint(value)])]
}

/** Negative numbers take ten bytes, as int64 is two's complement. */
function varint(value: number | bigint | boolean): readonly number[] {
  let rest = BigInt.asUintN(64, BigInt(value))
  const bytes: number[] = []
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  bytes.push(Number(rest))
  return bytes
}

/**
 * The fields of a message. Each getter takes the last value of its field, as a protobuf parser must, and the default of
 * the type where the field is missing. All throw a ProtobufError for a field of another wire type.
 */
export interface ProtoFields {
  /** An integer within ±2⁵³. */
  number(field: number): number
  /** A 64-bit integer that identifies, such as that of a member or a lease, without its sign. */
  id(field: number): bigint
  flag(field: number): boolean
  /** A view of the message. */
  bytes(field: number): Buffer
  text(field: number): string
  message(field: number): ProtoFields
  messages(field: number): readonly ProtoFields[]
  texts(field: number): readonly string[]
}

/** Reads the fields of a message. Throws a ProtobufError where the bytes are none. */
export function readProto(message: Uint8Array): ProtoFields {
  const values = readValues(Buffer.from(message.buffer, message.byteOffset, message.byteLength))
  const integer = (field: number): bigint => {
    const value = values.get(field)?.at(-1) ?? 0n
    if (typeof value === 'bigint') return value
    throw new ProtobufError(`expected an integer in field ${field}, found bytes`)
  }
  const all = (field: number): readonly Buffer[] =>
    (values.get(field) ?? []).map((value) => {
      if (typeof value === 'object') return value
      throw new ProtobufError(`expected bytes in field ${field}, found an integer`)
    })
  const bytes = (field: number): Buffer => all(field).at(-1) ?? EMPTY
  return {
    number(field) {
      const value = Number(BigInt.asIntN(64, integer(field)))
      if (Number.isSafeInteger(value)) return value
      throw new ProtobufError(`expected an integer within 53 bits in field ${field}`)
    },
    id: integer,
    flag: (field) => integer(field) !== 0n,
    bytes,
    text: (field) => bytes(field).toString(),
    message: (field) => readProto(bytes(field)),
    messages: (field) => all(field).map(readProto),
    texts: (field) => all(field).map(String),
  }
}

const EMPTY = Buffer.alloc(0)

function readValues(message: Buffer): ReadonlyMap<number, readonly (bigint | Buffer)[]> {
  const values = new Map<number, (bigint | Buffer)[]>()
  let [at, count] = [0, 0]
  const take = (length: number): Buffer => {
    const left = message.length - at
    if (length > left) throw new ProtobufError(`expected ${length} bytes at ${at}, found ${left}`)
    return message.subarray(at, (at += length))
  }
  const readVarint = (): bigint => {
    let value = 0n
    for (let i = 0; i < VARINT_BYTES_MAX; i++) {
      const [byte = 0] = take(1)
      value |= BigInt(byte & 0x7f) << BigInt(7 * i)
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new ProtobufError(`expected a varint of at most ${VARINT_BYTES_MAX} bytes before ${at}`)
  }
  while (at < message.length) {
    const tag = Number(readVarint())
    const field = Math.floor(tag / 8)
    if (field < 1 || field > FIELD_NUMBER_MAX) {
      throw new ProtobufError(`expected a field number before ${at}, found ${field}`)
    }
    if (++count > FIELDS_MAX) throw new ProtobufError(`expected at most ${FIELDS_MAX} fields in a message`)
    const value = readValue(tag % 8, { take, readVarint })
    const known = values.get(field)
    if (known === undefined) values.set(field, [value])
    else known.push(value)
  }
  return values
}

function readValue(
  wireType: number,
  { take, readVarint }: { readonly take: (length: number) => Buffer; readonly readVarint: () => bigint },
): bigint | Buffer {
  switch (wireType) {
    case VARINT:
      return readVarint()
    case LENGTH_DELIMITED:
      return take(Number(readVarint()))
    case FIXED_64:
      return take(8)
    case FIXED_32:
      return take(4)
    default: // Groups (3, 4) are deprecated, and etcd has none.
      throw new ProtobufError(`expected a wire type of 0, 1, 2 or 5, found ${wireType}`)
  }
}
