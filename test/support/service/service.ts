/**
 * The whole service in this process: real sockets on port 0, a real database in a temporary directory, mail as files,
 * and a clock that stands still until a test moves it. With TEST_PROGRAM, a process of that executable instead.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import type { PageAsset } from '../../../src/app/page-routes.ts'
import { startApp } from '../../../src/app.ts'
import { createLog } from '../../../src/base/log.ts'
import { createLogMemory } from '../../../src/base/log-memory.ts'
import { createLogOutput } from '../../../src/base/log-output.ts'
import { readConfig } from '../../../src/config/read-config.ts'
import { SETTINGS, type Config, type SettingName } from '../../../src/config/settings.ts'
import { shownSettings } from '../../../src/config/shown-settings.ts'
import { databaseFile } from '../../../src/store/db/data-dir.ts'
import { wireAddress } from '../../../src/mail/address.ts'
import { assertDescribedAtFirst } from '../schema/described-responses.ts'
import { decodedText, headersOf, sendTo, type ResponseHeaders } from './http-client.ts'
import { placeSeededDatabase } from './seeded-database.ts'
import { startProcess, type Hosted, type HostedApp } from './service-process.ts'
import { temporaryDirectory, type Cleanup } from '../../../scripts/tools/temporary-directory.ts'
import { until } from '../until.ts'

export const ADMIN_EMAIL = 'admin@example.org'
/** The time at which every test begins. */
export const START = Date.parse('2026-03-01T12:00:00.000Z')

/** The database file of a running service. */
export function databaseOf({ directory }: Pick<TestService, 'directory'>): string {
  return databaseFile(join(directory, 'data'))
}

/** What every request has: fetch() of Node sends the same, and takes twice the time. */
const CLIENT_HEADERS = {
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
  // Whether a response is compressed depends on the load, and its ETag on that: tests of it ask for a coding.
  'accept-encoding': 'identity',
}

/** What came back. `at('data.items[0].id')` looks into the parsed body. */
export interface ApiResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly text: string
  readonly body: unknown
  at(path: string): unknown
  /** `error.code` and `error.message` as `code: message`. */
  readonly error: string
}

export interface Call {
  readonly token?: string | undefined
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The response holds documents that no client could have sent, so that it need not fit the description of the API. */
  readonly isUndescribed?: true
}

export interface Signed {
  readonly id: string
  readonly token: string
  readonly user: Record<string, unknown>
}

export interface TestService {
  readonly app: HostedApp
  readonly url: string
  readonly directory: string
  /** The lines of the log that are here: a process writes them some milliseconds after its responses. */
  readonly logLines: readonly string[]
  /** Every line of the log up to now. */
  logged(): Promise<readonly string[]>
  /** Moves the clock. */
  advance(ms: number): void
  now(): number
  call(method: string, path: string, options?: Call): Promise<ApiResponse>
  /** `call` on `/api/v1/data…`: the query is form-encoded, objects in it as JSON. */
  data(method: string, target: string, query: Readonly<Record<string, unknown>>, options?: Call): Promise<ApiResponse>
  /** The texts of all messages to an address, oldest first. */
  mails(email: string): Promise<readonly string[]>
  /** Requests a code and reads it out of the mail. */
  codeFor(email: string, options?: { readonly dashboard?: boolean }): Promise<string>
  /** Signs in, creating the account where there is none. */
  signIn(email: string, options?: { readonly token?: string; readonly dashboard?: boolean }): Promise<Signed>
  guest(): Promise<Signed>
  admin(): Promise<Signed>
  /** A user with these roles, made by the administrator. */
  userWith(email: string, roles: { readonly appRole?: string; readonly dashboardRole?: string }): Promise<Signed>
  /** Stops the service; start it again on the same directory with `startService(t, settings, { directory })`. */
  stop(): Promise<void>
}

/** `undefined` takes a setting back that tests have by default. */
export type TestSettings = Partial<Record<SettingName, string | undefined>>

export interface ServiceOptions {
  readonly directory?: string
  /** The time at which it begins. */
  readonly start?: number
  /** The files of the dashboard, which is missing without them; an executable brings its own. */
  readonly pageAssets?: readonly PageAsset[] | undefined
  /** How long a test mail may take. */
  readonly mailTestMs?: number | undefined
  /** Whether it makes its database itself, in place of the one that is kept for tests. */
  readonly isEmpty?: boolean
  /** Whether it runs in this process where TEST_PROGRAM is set, too: the test wants what its service leaves, and waits for parts of it. */
  readonly isHere?: boolean
}

/** Starts the service with the given settings, as texts; rate limits are off unless they are switched on. */
export async function startService(
  t: Cleanup,
  settings: TestSettings = {},
  { directory = temporaryDirectory(t), start = START, pageAssets, mailTestMs, isEmpty = false, isHere = false }: ServiceOptions = {},
): Promise<TestService> {
  const logLines: string[] = []
  const mailDirectory = join(directory, 'mail')
  // So that all tests can run without the memory for pages, too.
  const cacheMb = process.env['DATELINE_CACHE_MB']
  // And with several threads, which take longer to start.
  const threads = process.env['DATELINE_THREADS'] ?? '1'
  const given: TestSettings = {
    port: '0',
    dataDir: join(directory, 'data'),
    mail: `file:${mailDirectory}`,
    adminEmail: ADMIN_EMAIL,
    rateLimits: 'off',
    ...(cacheMb === undefined ? {} : { cacheMb }),
    threads,
    ...settings,
  }
  const names = SETTINGS.map(({ name }) => name).filter((name) => given[name] !== undefined)
  const flags = new Map(names.map((name) => [name, given[name] ?? '']))
  const config = readConfig(flags, {})
  const program = isHere ? undefined : process.env['TEST_PROGRAM']
  if (!isEmpty && program === undefined) await placeSeededDatabase(config.dataDir, config)
  const { app, now, advance } =
    program === undefined
      ? await startHere(config, { flags, start, logLines, pageAssets, mailTestMs })
      : await startProcess({
          ...{ program, settings: Object.fromEntries(flags), config, directory, start, logLines },
          workingDirectory: temporaryDirectory(t),
        })
  const agent = new Agent({ keepAlive: true })
  let stopped: Promise<void> | undefined
  // Requests that are in flight get their responses.
  const stop = (): Promise<void> => (stopped ??= app.close().finally(() => agent.destroy()))
  t.after(stop)

  const call = async (
    method: string,
    path: string,
    { token, body, headers = {}, isUndescribed }: Call = {},
  ): Promise<ApiResponse> => {
    const response = await sendTo(new URL(app.url + path), {
      method,
      agent,
      headers: {
        ...CLIENT_HEADERS,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...positionHeader(app.position?.()),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const [text, received] = [decodedText(response), headersOf(response.headers)]
    await app.written()
    if (isUndescribed !== true) assertDescribedAtFirst({ method, path, status: response.status, headers: received, text })
    const parsed: unknown = text === '' ? undefined : JSON.parse(text)
    const at = (place: string): unknown => lookUp(parsed, place)
    const error = `${String(at('error.code'))}: ${String(at('error.message'))}`
    return { status: response.status, headers: received, text, body: parsed, at, error }
  }

  const signed = (response: ApiResponse): Signed => {
    assert.equal(response.status, 200, response.text)
    const user = response.at('data.user') as Record<string, unknown>
    return { id: String(user['id']), token: String(response.at('data.token')), user }
  }

  const service: TestService = {
    app,
    url: app.url,
    directory,
    logLines,
    async logged() {
      await app.written()
      if (program === undefined) return logLines
      // The line of a request comes behind those of all that was before it.
      const { headers } = await sendTo(new URL('/healthz', app.url), { agent })
      const ownLine = `"requestId":"${String(headers['x-request-id'])}"`
      await until(() => logLines.some((line) => line.includes(ownLine)))
      return logLines
    },
    now,
    advance,
    call,
    data(method, target, query, options) {
      const values = Object.entries(query).map(([name, value]) => [
        name,
        typeof value === 'object' ? JSON.stringify(value) : String(value),
      ])
      return call(method, `/api/v1/data${target}?${new URLSearchParams(values).toString()}`, options)
    },
    async mails(email) {
      await app.idle()
      return readMails(mailDirectory, email)
    },
    async codeFor(email, { dashboard = false } = {}) {
      const response = await call('POST', '/api/v1/auth/request-code', { body: { email, isDashboardLogin: dashboard } })
      assert.equal(response.status, 202, response.text)
      const newest = (await service.mails(email.trim().toLowerCase())).at(-1) ?? ''
      const code = /\b\d{6}\b/.exec(newest)?.[0]
      assert.ok(code, `no code in the mail to ${email}`)
      return code
    },
    async signIn(email, { token, dashboard = false } = {}) {
      const code = await service.codeFor(email, { dashboard })
      const body = { email, code, isDashboardLogin: dashboard }
      return signed(await call('POST', '/api/v1/auth/verify-code', { body, token }))
    },
    guest: async () => signed(await call('POST', '/api/v1/auth/anonymous', { body: {} })),
    admin: () => service.signIn(ADMIN_EMAIL, { dashboard: true }),
    async userWith(email, roles) {
      const { token } = await service.admin()
      const response = await service.data('POST', '', { model: 'user' }, { token, body: { email, ...roles } })
      assert.equal(response.status, 201, response.text)
      return service.signIn(email)
    },
    stop,
  }
  return service
}

/** A request to a cluster sees what the test wrote beside it. */
function positionHeader(position: number | undefined): Readonly<Record<string, string>> {
  return position === undefined ? {} : { 'x-dateline-position': String(position) }
}

interface HereOptions extends Pick<ServiceOptions, 'pageAssets' | 'mailTestMs'> {
  readonly flags: ReadonlyMap<SettingName, string>
  readonly start: number
  readonly logLines: string[]
}

/** In this process, with a clock that stands still. */
async function startHere(config: Config, { flags, start, logLines, pageAssets, mailTestMs }: HereOptions): Promise<Hosted> {
  const clock = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)
  const time = new Float64Array(clock)
  time[0] = start
  const now = (): number => time[0] as number
  const logMemory = createLogMemory()
  const take = (bytes: Uint8Array): number => {
    logLines.push(...Buffer.from(bytes).toString().trim().split('\n'))
    return bytes.length
  }
  const logOutput = createLogOutput({ sink: { write: take, writeAtExit: take }, onResume: () => {} })
  const { add, flush } = logOutput
  // Tests read each line as soon as it is written; the output would hold it for 10 ms.
  const write: typeof add = (line, level) => {
    add(line, level)
    flush()
  }
  const log = createLog({ level: 'debug', format: 'json', now, write, flush, keep: logMemory.keep })
  const writeLine = (line: string): void => void logLines.push(line)
  const settings = shownSettings(flags, {})
  const options = { now, log, logMemory, logOutput, settings, writeLine, pageAssets, mailTestMs, clock }
  const app = await startApp(config, { jwtSecret: undefined }, options)
  await app.ready()
  return { app, now, advance: (ms) => void (time[0] = now() + ms) }
}

/** Files sort by time. Soft line breaks of quoted-printable are undone, so that texts can be searched. */
function readMails(directory: string, email: string): readonly string[] {
  const names = readdirSync(directory)
    .filter((name) => name.endsWith('.eml'))
    .sort()
  const texts = names.map((name) => readFileSync(join(directory, name), 'utf8').replaceAll('=\r\n', ''))
  // A domain of another script is written in its ASCII form there.
  const written = RegExp.escape(wireAddress(email) ?? email)
  return texts.filter((text) => new RegExp(`^To: .*${written}`, 'im').test(text))
}

/** `data.items[0].id` in a parsed body; undefined where the way ends. */
function lookUp(value: unknown, path: string): unknown {
  let found = value
  for (const step of path.split(/[.[\]]+/).filter((part) => part !== '')) {
    if (typeof found !== 'object' || found === null) return undefined
    found = (found as Record<string, unknown>)[step]
  }
  return found
}
