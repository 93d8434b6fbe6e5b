/** What makes a data directory that of a node: its identity and that of the log it follows, in `cluster.json`. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson } from '../base/json.ts'
import { DataDirError } from '../store/sqlite/data-dir.ts'

const FILE_MODE = 0o600
const NODE_BYTES = 8
const SITE_BYTES = 16

export interface NodeIdentity {
  /** 16 lowercase hexadecimal digits. */
  readonly node: string
  /** Identifies the log: 32 lowercase hexadecimal digits. */
  readonly site: string
}

export const newNode = (): string => randomBytes(NODE_BYTES).toString('hex')
export const newSite = (): string => randomBytes(SITE_BYTES).toString('hex')

/** The ring of keys that open the entries of the log. */
export const keyRingFile = (directory: string): string => join(directory, 'cluster-keys')
/** The private key of this node, to which keys of later epochs are wrapped. */
export const nodeKeyFileOf = (directory: string): string => join(directory, 'cluster-node-key')
const identityFile = (directory: string): string => join(directory, 'cluster.json')

/** Undefined where the directory is not that of a node. Throws DataDirError for a damaged file. */
export function readIdentity(directory: string): NodeIdentity | undefined {
  const file = identityFile(directory)
  if (!existsSync(file)) return undefined
  try {
    const found = parseJson(readFileSync(file, 'utf8'))
    if (!isObject(found)) throw new Error('expected an object')
    const { node, site } = found
    if (isHex(node, NODE_BYTES) && isHex(site, SITE_BYTES)) return { node, site }
    throw new Error('expected the members node and site')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DataDirError(
      `Cannot read the identity of this node in "${file}": ${reason}: join the cluster again`,
      { cause: error },
    )
  }
}

/** Replaces the file as a whole. */
export function writeIdentity(directory: string, { node, site }: NodeIdentity): void {
  const file = identityFile(directory)
  writeFileSync(`${file}.new`, `${JSON.stringify({ node, site })}\n`, { mode: FILE_MODE })
  renameSync(`${file}.new`, file)
}

export function removeIdentity(directory: string): void {
  rmSync(identityFile(directory), { force: true })
}

function isHex(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && value.length === 2 * bytes && /^[0-9a-f]+$/.test(value)
}
