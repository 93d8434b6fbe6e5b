/** The types of pinned-node.mjs, which any Node from 18 on runs as it is. */
import type { ArchivedFile } from './release-archive.ts'

export interface NodePackage {
  readonly name: string
  /** SHA-512 of the package as the registry writes it. */
  readonly integrity: string
  /** The executable in the package. */
  readonly binary: string
}

export const PINNED_VERSION: string
export function packageFor(system: string): NodePackage | undefined
export function packArguments(wanted: Pick<NodePackage, 'name'>): string[]
export function filesOfPackage(wanted: NodePackage, archive: Buffer): ReadonlyMap<string, Buffer>
export function checkIntegrity(what: string, bytes: Buffer, wanted: string): void
export function entriesOfTar(tar: Buffer): readonly ArchivedFile[]
