/** What a snapshot holds: a short object of its own, so that a restore can show it before it reads the long one. */
import { isCount, isObject, parseJsonObject, writeJson, type Json, type JsonObject } from '../base/json.ts'
import { damagedArchive } from './tar.ts'

const FORMAT = 1
const BYTES_MAX = 64 * 1024

export interface Manifest {
  /** An ISO date. */
  readonly createdAt: string
  /** Of the program that wrote it. */
  readonly version: string
  readonly schema: number
  readonly chain: string
  readonly seq: number
  /** Documents by model. */
  readonly items: Readonly<Record<string, number>>
  readonly database: { readonly bytes: number; readonly sha256: string }
  /** As it is stored, encrypted. */
  readonly archive: { readonly bytes: number; readonly sha256: string }
  /** Those of the database, and the bytes of their files. */
  readonly pictures: { readonly count: number; readonly bytes: number }
}

export function writeManifest(manifest: Manifest): Buffer {
  return Buffer.from(writeJson({ format: FORMAT, ...manifest } as unknown as JsonObject))
}

/** Throws a PlaceError. */
export function readManifest(bytes: Buffer): Manifest {
  const read = bytes.length > BYTES_MAX ? undefined : parseJsonObject(bytes.toString('utf8'))
  if (read?.['format'] !== FORMAT) throw damagedArchive('its manifest is not one that this program reads')
  const { createdAt, version, schema, chain, seq, items, database, archive, pictures } = read
  const isWhole =
    [createdAt, version, chain].every((value) => typeof value === 'string') && [schema, seq].every(isCount) &&
    isObject(items) && Object.values(items).every(isCount) && isMeasure(database) && isMeasure(archive) &&
    isObject(pictures) && [pictures['count'], pictures['bytes']].every(isCount)
  if (!isWhole) throw damagedArchive('its manifest is malformed')
  return read as unknown as Manifest
}

function isMeasure(value: Json | undefined): boolean {
  return isObject(value) && isCount(value['bytes']) && /^[0-9a-f]{64}$/.test(String(value['sha256']))
}
