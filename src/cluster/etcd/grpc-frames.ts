/**
 * Messages in the body of a gRPC request or response (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md,
 * Length-Prefixed-Message): a byte that says whether the message is compressed, its length in four bytes, the message.
 * We announce no encoding, so a server compresses nothing.
 */
import { GrpcError } from './grpc-status.ts'
import type { ProtoMessage } from './protobuf.ts'

const PREFIX_BYTES = 5
/**
 * Maximum length of a message that is read. Entries have at most 8 MiB; etcd splits the events of a watch into messages
 * of
 * `--max-request-bytes` each, which an operator may have set higher than we need.
 */
const MESSAGE_BYTES_MAX = 32 * 1024 * 1024

export function frameOf(message: ProtoMessage): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, ...message.parts], PREFIX_BYTES + message.length)
}

/** Takes the bytes of a body as they come, and returns the messages that are complete. Throws a GrpcError. */
export function createFrameReader(bytesMax = MESSAGE_BYTES_MAX) {
  let chunks: Buffer[] = []
  let held = 0
  let needed = PREFIX_BYTES
  return {
    /** Whether the bytes so far end with a message. */
    get isEmpty(): boolean {
      return held === 0
    },
    push(chunk: Buffer): readonly Buffer[] {
      chunks.push(chunk)
      held += chunk.length
      if (held < needed) return []
      let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks, held)
      const messages: Buffer[] = []
      for (;;) {
        needed = PREFIX_BYTES + (rest.length < PREFIX_BYTES ? 0 : messageBytes(rest, bytesMax))
        if (rest.length < needed || rest.length < PREFIX_BYTES) break
        messages.push(rest.subarray(PREFIX_BYTES, needed))
        rest = rest.subarray(needed)
      }
      chunks = rest.length === 0 ? [] : [rest]
      held = rest.length
      return messages
    },
  }
}

function messageBytes(frame: Buffer, bytesMax: number): number {
  if (frame[0] !== 0) {
    throw new GrpcError('internal', `expected a message without compression, found the flag ${frame[0]}`)
  }
  const length = frame.readUInt32BE(1)
  if (length <= bytesMax) return length
  throw new GrpcError(
    'resourceExhausted',
    `expected messages of at most ${bytesMax} bytes, found ${length}: start etcd with a lower --max-request-bytes`,
  )
}
