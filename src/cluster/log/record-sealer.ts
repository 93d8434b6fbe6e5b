/**
 * Entries of the log, encrypted: etcd's files, its backups and its operators see lengths, times, and which node wrote.
 *
 *     1 byte    format: 3
 *     4 bytes   number of the schema
 *     8 bytes   node
 *     16 bytes  id of the record
 *     16 bytes  id of the record before it
 *     4 bytes   id of the key
 *     16 bytes  salt, random
 *     the rest  AES-256-GCM of the changeset behind a byte that says how it is compressed; its tag is the last 16 bytes
 *
 * The fields up to the salt are associated data, with the site: an entry cannot be moved to another site, node or
 * schema. A pair of key and nonce never repeats, as AES-GCM requires (NIST SP 800-38D section 8): both are derived by
 * HKDF-SHA-256 (RFC 5869) from the key of the site and the salt, so that only a repeated salt of 128 random bits could
 * repeat them. That is drawn for each call, here, and needs no counter that a restored data directory would turn back.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { RecordUnreadable, type LogRecord, type Sealer } from '../../store/cluster/commit-log.ts'
import type { EntryKey } from '../cluster-keys.ts'

const FORMAT = 3
const [SCHEMA_AT, NODE_AT, ID_AT, PREVIOUS_AT, KEY_AT, SALT_AT, HEADER_BYTES] = [1, 5, 13, 29, 45, 49, 65]
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'
const [KEY_BYTES, NONCE_BYTES] = [32, 12]

const [STORED, ZSTD] = [0, 1]
/** Shorter changesets hardly become shorter. */
const COMPRESSED_BYTES_MIN = 256
/** Level 1: most of the gain at a tenth of the time of the default. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** Maximum length of a changeset: what an entry of 8 MiB may expand to. */
const CHANGESET_BYTES_MAX = 256 * 1024 * 1024

export interface RecordSealerOptions {
  /** The first seals, all open. */
  readonly keys: readonly [EntryKey, ...EntryKey[]]
  /** Identifies the log. */
  readonly site: string
}

export function createRecordSealer({ keys, site }: RecordSealerOptions): Sealer {
  const associated = (header: Uint8Array): Buffer => Buffer.concat([header, Buffer.from(site)])
  const derive = (key: Uint8Array, header: Buffer): readonly [key: Buffer, nonce: Buffer] => {
    const salt = header.subarray(SALT_AT, HEADER_BYTES)
    const bytes = Buffer.from(hkdfSync('sha256', key, salt, PURPOSE, KEY_BYTES + NONCE_BYTES))
    return [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)]
  }
  return {
    seal({ schema, node, id, previous, changeset }) {
      if (changeset.length > CHANGESET_BYTES_MAX) {
        throw new RangeError(
          `Cannot seal a changeset of ${changeset.length} bytes: expected at most ${CHANGESET_BYTES_MAX}`,
        )
      }
      const [{ id: keyId, key }] = keys
      const header = Buffer.alloc(HEADER_BYTES)
      header[0] = FORMAT
      header.writeUInt32BE(schema, SCHEMA_AT)
      header.write(node, NODE_AT, 'hex')
      header.write(id, ID_AT, 'hex')
      header.write(previous, PREVIOUS_AT, 'hex')
      header.writeUInt32BE(keyId, KEY_AT)
      randomBytes(HEADER_BYTES - SALT_AT).copy(header, SALT_AT)
      const cipher = createCipheriv(CIPHER, ...derive(key, header))
      cipher.setAAD(associated(header))
      return Buffer.concat([header, cipher.update(packed(changeset)), cipher.final(), cipher.getAuthTag()])
    },
    open(entry) {
      const body = Buffer.from(entry.buffer, entry.byteOffset, entry.byteLength)
      const header = body.subarray(0, HEADER_BYTES)
      const key = openingKey(keys, entryKeyOf(body))
      const decipher = createDecipheriv(CIPHER, ...derive(key, header))
      decipher.setAAD(associated(header))
      decipher.setAuthTag(body.subarray(-TAG_BYTES))
      const plain = decipher.update(body.subarray(HEADER_BYTES, -TAG_BYTES))
      try {
        decipher.final()
      } catch {
        throw unreadable('damaged', 'it was changed, or is of another site')
      }
      return { ...headOf(header), changeset: unpacked(plain) }
    },
  }
}

const PURPOSE = 'dateline log entry 3'

/** The id of the key that opens an entry, which is not secret. Throws RecordUnreadable where the bytes are no entry. */
export function entryKeyOf(body: Uint8Array): number {
  if (body.length < HEADER_BYTES + TAG_BYTES) {
    throw unreadable('damaged', `expected ${HEADER_BYTES + TAG_BYTES} bytes or more, found ${body.length}`)
  }
  if (body[0] !== FORMAT) {
    throw unreadable('unknown-format', `expected format ${FORMAT}, found ${body[0]}: install the newest program`)
  }
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).readUInt32BE(KEY_AT)
}

function headOf(header: Buffer): Omit<LogRecord, 'changeset'> {
  return {
    schema: header.readUInt32BE(SCHEMA_AT),
    node: header.toString('hex', NODE_AT, ID_AT),
    id: header.toString('hex', ID_AT, PREVIOUS_AT),
    previous: header.toString('hex', PREVIOUS_AT, KEY_AT),
  }
}

function openingKey(keys: RecordSealerOptions['keys'], id: number): Uint8Array {
  const found = keys.find((one) => one.id === id)
  if (found !== undefined) return found.key
  throw unreadable('unknown-key', 'it is sealed with a secret that this node does not have: copy the file secrets of a node that writes')
}

function packed(changeset: Uint8Array): Buffer {
  if (changeset.length < COMPRESSED_BYTES_MIN) return Buffer.concat([Buffer.from([STORED]), changeset])
  return Buffer.concat([Buffer.from([ZSTD]), zstdCompressSync(changeset, COMPRESSION)])
}

/** A node wrote this, with a key that only nodes have: what is wrong here is a bug of another version. */
function unpacked(plain: Buffer): Uint8Array {
  const content = plain.subarray(1)
  if (plain[0] === STORED) return content
  try {
    if (plain[0] === ZSTD) return zstdDecompressSync(content, { maxOutputLength: CHANGESET_BYTES_MAX })
  } catch {
    throw unreadable('damaged', 'its changeset cannot be decompressed')
  }
  throw unreadable('unknown-format', `expected a compression of 0 or 1, found ${plain[0] ?? 'none'}`)
}

function unreadable(reason: RecordUnreadable['reason'], detail: string): RecordUnreadable {
  return new RecordUnreadable(reason, `Cannot open an entry of the log: ${detail}`)
}
