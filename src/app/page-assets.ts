/**
 * The files of the pages, made by scripts/build-dashboard.ts, as one file: a line of JSON that lists them, then their
 * bytes. The executable carries it inside, a service that runs from the sources has it in dist/.
 */
import { readFileSync } from 'node:fs'
import { getRawAsset, isSea } from 'node:sea'
import type { PageAsset } from './page-routes.ts'

export const PAGE_ASSETS_FILE = 'page-assets.bin'

interface Listed {
  readonly path: string
  readonly type: string
  readonly immutable: boolean
  /** How many bytes the file has: as it is, by brotli, by gzip; null where that makes it no smaller. */
  readonly bytes: readonly [number, number | null, number | null]
}

/**
 * What was built, in memory that all threads share; undefined where nothing was, or what cannot be read: the service
 * works without.
 */
export function loadPageAssets(): readonly PageAsset[] | undefined {
  if (isSea()) return unpackAssets(inSharedMemory(new Uint8Array(getRawAsset(PAGE_ASSETS_FILE))))
  try {
    const file = readFileSync(new URL(`../../dist/dashboard/${PAGE_ASSETS_FILE}`, import.meta.url))
    return unpackAssets(inSharedMemory(file))
  } catch {
    return undefined
  }
}

function inSharedMemory(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}

export function packAssets(assets: readonly PageAsset[]): Uint8Array {
  const list = assets.map(({ path, type, immutable, body, brotli, gzip }): Listed => {
    return { path, type, immutable, bytes: [body.length, brotli?.length ?? null, gzip?.length ?? null] }
  })
  const bodies = assets.flatMap(({ body, brotli, gzip }) => [body, brotli ?? EMPTY, gzip ?? EMPTY])
  return Buffer.concat([Buffer.from(`${JSON.stringify(list)}\n`), ...bodies])
}

const EMPTY = new Uint8Array()

/** Throws where the file is not one of packAssets(), or only a part of one. */
export function unpackAssets(file: Uint8Array): readonly PageAsset[] {
  let at = file.indexOf(0x0a) + 1
  const list = JSON.parse(Buffer.from(file.subarray(0, at)).toString()) as readonly Listed[]
  const take = (bytes: number): Uint8Array => file.subarray(at, (at += bytes))
  const assets = list.map(({ path, type, immutable, bytes: [body, brotli, gzip] }) => ({
    path,
    type,
    immutable,
    body: take(body),
    brotli: brotli === null ? undefined : take(brotli),
    gzip: gzip === null ? undefined : take(gzip),
  }))
  if (at !== file.length) throw new Error(`Cannot read the pages: expected ${at} bytes, found ${file.length}`)
  return assets
}
