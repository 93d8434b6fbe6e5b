/** The systems that a release is for, and the pinned Node of each, from npm (see pinned-node.mjs). */
import { spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesOfPackage, packageFor, packArguments, PINNED_VERSION, type NodePackage } from './pinned-node.mjs'

export interface System {
  /** As the files of a release name it. */
  readonly name: string
  readonly node: NodePackage
}

export const SYSTEMS: readonly System[] = [
  system('linux-x64', 'linux-x64'),
  system('linux-arm64', 'linux-arm64'),
  system('win-x64', 'win32-x64'),
  system('darwin-x64', 'darwin-x64'),
]

function system(name: string, pinned: string): System {
  const node = packageFor(pinned)
  if (node === undefined) throw new Error(`There is no pinned Node for ${pinned}`)
  return { name, node }
}

/** Fetches the package through npm, which keeps it for the next time. Gives its files by name. Throws with the cause. */
export function fetchNode(node: NodePackage): ReadonlyMap<string, Buffer> {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'dateline-node-'))
  const directory = temporary.path
  const options = { cwd: directory, encoding: 'utf8', shell: process.platform === 'win32' } as const
  const packed = spawnSync('npm', packArguments(node), options)
  if (packed.status !== 0) {
    const cause = packed.stderr.trim() || String(packed.error)
    throw new Error(`npm cannot fetch ${node.name}@${PINNED_VERSION}: ${cause}`)
  }
  return filesOfPackage(node, readFileSync(join(directory, packed.stdout.trim())))
}
