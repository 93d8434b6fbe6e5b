/** What makes a data directory that of a node: its identity and that of the log it follows, in `cluster.json`. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile, syncDirectory } from '../base/directory.ts'
import { isObject, parseJson } from '../base/json.ts'
import { DataDirError } from '../store/db/data-dir.ts'

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

const identityFile = (directory: string): string => join(directory, 'cluster.json')
/** The command that makes a directory that of a node. */
type Maker = 'init' | 'join'
const draftFile = (directory: string, by: Maker): string => join(directory, `cluster.json.${by}`)

/** Undefined where the directory is not that of a node. Throws DataDirError for a damaged file. */
export function readIdentity(directory: string): NodeIdentity | undefined {
  return identityIn(identityFile(directory))
}

function identityIn(file: string): NodeIdentity | undefined {
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
      `Cannot read the identity of this node in "${file}": ${reason}: join the cluster again with an empty data directory`,
      { cause: error },
    )
  }
}

/** The identity that a command was about to give the directory when it was interrupted; undefined where there is none. */
export function readDraft(directory: string, by: Maker): NodeIdentity | undefined {
  return identityIn(draftFile(directory, by))
}

/** Notes the identity durably, so that a command that is interrupted can be run again. */
export function writeDraft(directory: string, by: Maker, { node, site }: NodeIdentity): void {
  replaceFile(draftFile(directory, by), `${JSON.stringify({ node, site })}\n`, FILE_MODE)
}

export function removeDraft(directory: string, by: Maker): void {
  rmSync(draftFile(directory, by), { force: true })
}

/** Makes the draft the identity of the directory. */
export function adoptDraft(directory: string, by: Maker): void {
  renameSync(draftFile(directory, by), identityFile(directory))
  syncDirectory(directory)
}

export function removeIdentity(directory: string): void {
  rmSync(identityFile(directory), { force: true })
}

function isHex(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && value.length === 2 * bytes && /^[0-9a-f]+$/.test(value)
}
