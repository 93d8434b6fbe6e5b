/**
 * The service under attack: a data directory with sample data, filled by the program's own commands, and the process
 * that serves it, as `npm start`.
 */
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshDashboard } from '../fresh-dashboard.ts'
import { run, serve, type RunningService } from '../tools/program.ts'
import { createMailbox } from '../tools/mailbox.ts'
import type { Random } from '../tools/random.ts'
import { temporaryDirectory, type Cleanup } from '../tools/temporary-directory.ts'
import type { Account, Site, Stopped } from './attack.ts'
import { send, connectFrom, dataPath, inParallel } from './loopback-client.ts'
import { hostileTitles } from './sample-titles.ts'

const HEAP_MIB = 512
const TOPICS = 1_000
const READERS = 16
const OTHER_READERS = 8
const STOP_MS_MAX = 30_000
/** The write-ahead log is used again from its beginning, and kept at this size. */
const WAL_BYTES_KEPT = 16 * 1024 * 1024
/** Distinct addresses below 127.0.0.0/8, from 127.1.0.1 on. */
const ADDRESSES = 250 * 250 * 200

export interface TargetOptions {
  readonly cleanup: Cleanup
  readonly headlines: number
  readonly random: Random
  readonly isQuick: boolean
  /** Settings of `serve` beside those that every run has. */
  readonly words?: readonly string[]
}

export interface Target {
  /** Starts the service. Everything that was stored before is there. */
  start(): Promise<RunningTarget>
}

export interface Others {
  readonly readers: readonly Account[]
  readonly administrator: Account
}

export interface RunningTarget {
  readonly site: Site
  /** Those whose requests the probe makes: no attack uses their accounts. */
  readonly others: Others
  /** Signs in by mail from a new client address, which makes the account where there is none. */
  signIn(email: string): Promise<Account>
  /** Lines of level error in the log so far, the first few. */
  errors(): readonly string[]
  /** Why the process has ended; undefined while it runs. */
  ended(): string | undefined
  kill(): Promise<void>
}

/** Fills the data directory. Throws with what the program said where a command fails. */
export async function prepareTarget(options: TargetOptions): Promise<Target> {
  const { cleanup, headlines, random, words: settings = [] } = options
  freshDashboard()
  const directory = temporaryDirectory(cleanup)
  const [data, mail] = [join(directory, 'data'), join(directory, 'mail')]
  mkdirSync(mail, { recursive: true, mode: 0o700 })
  const must = async (words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run([...words, '--data-dir', data])
    if (code !== 0) throw new Error(`"${words.join(' ')}" failed with ${code}: ${stderr}`)
    return stdout
  }
  await must(['seed', '--yes'])
  const samples = lines(await must(['export', '--model', 'headline']))
  const topics = lines(await must(['export', '--model', 'topic']))
  const sources = lines(await must(['export', '--model', 'source']))
  const titles = hostileTitles(random)
  const rows = Array.from({ length: Math.max(0, headlines - samples.length) }, (_, i) => ({
    ...samples[i % samples.length],
    id: idOf('aaaa', i),
    ...(i < titles.length ? { title: titles[i] } : { title: `${String(samples[i % samples.length]?.['title'])} ${i}` }),
    updatedAt: new Date(Date.now() - i * 60_000).toISOString(),
  }))
  const more = Array.from({ length: TOPICS - topics.length }, (_, i) => ({
    ...topics[i % topics.length],
    id: idOf('bbbb', i),
    name: `${String(topics[i % topics.length]?.['name'])} ${i}`,
  }))
  for (const [model, content] of Object.entries({ headline: rows, topic: more })) {
    const file = join(directory, `${model}.ndjson`)
    writeFileSync(file, content.map((row) => `${JSON.stringify(row)}\n`).join(''))
    await must(['import', '--model', model, '--keep', file])
  }
  await must(['admin', '--email', 'owner@example.org'])
  const ids = {
    headlineIds: rows.slice(0, 2_000).map(({ id }) => id),
    sourceIds: sources.map(({ id }) => String(id)),
    topicIds: topics.map(({ id }) => String(id)),
  }
  const mailbox = createMailbox(mail)
  const addresses = createAddresses(random)
  let accounts: (Others & { readonly publisher: Account; readonly others: Others }) | undefined
  return {
    async start() {
      const words = ['--data-dir', data, '--mail', `file:${mail}`, '--log-format', 'json', ...settings]
      const { service, errors, ended, stop } = await startService(cleanup, words)
      const port = Number(service.ready['port'])
      const request = (method: string, path: string, body: unknown, token?: string) =>
        send(port, { method, path, body, token, from: addresses() })
      const signIn = async (email: string): Promise<Account> => {
        const requested = await request('POST', '/api/v1/auth/request-code', { email })
        if (requested.status !== 202) throw new Error(`No code for ${email}: ${requested.status} ${requested.text}`)
        const code = await mailbox.codeFor(email)
        return accountIn(await request('POST', '/api/v1/auth/verify-code', { email, code }))
      }
      let invited = 0
      const invite = async (dashboardRole: 'admin' | 'publisher', token: string): Promise<Account> => {
        const email = `${dashboardRole}-${Date.now()}-${invited++}@example.org`
        const made = await request('POST', dataPath({ model: 'user' }), { email, dashboardRole }, token)
        if (made.status !== 201) throw new Error(`Cannot invite ${email}: ${made.status} ${made.text}`)
        return signIn(email)
      }
      if (accounts === undefined) {
        const administrator = await signIn('owner@example.org')
        const readers = await inParallel(READERS, (i) => signIn(`reader-${i}@example.org`))
        const others: Others = {
          readers: await inParallel(OTHER_READERS, (i) => signIn(`other-${i}@example.org`)),
          administrator: await invite('admin', administrator.token),
        }
        accounts = { administrator, readers, publisher: await invite('publisher', administrator.token), others }
      }
      const { administrator, publisher, readers, others } = accounts
      let [turn, copies] = [0, 0]
      const site: Site = {
        ...ids,
        port,
        pid: service.child.pid ?? 0,
        isQuick: options.isQuick,
        random,
        administrator,
        publisher,
        newAddress: addresses,
        guest: async () => accountIn(await request('POST', '/api/v1/auth/anonymous', {})),
        reader: () => readers[turn++ % readers.length] as Account,
        send: (one) => send(port, one),
        connect: (from) => connectFrom(port, from),
        pauseLog: () => void service.child.stderr?.pause(),
        resumeLog: () => void service.child.stderr?.resume(),
        dataBytes: () => sizeOf(data),
        async databaseBytes() {
          const copy = join(directory, `copy-${copies++}.db`)
          await must(['backup', '--to', copy])
          const { size } = statSync(copy)
          rmSync(copy)
          return size
        },
        stop,
      }
      return { site, others, signIn, errors, ended, kill: async () => void (await service.end('SIGKILL')) }
    },
  }
}

interface Service {
  readonly service: RunningService
  readonly errors: () => readonly string[]
  readonly ended: () => string | undefined
  stop(): Promise<Stopped>
}

async function startService(cleanup: Cleanup, words: readonly string[]): Promise<Service> {
  // As it comes, and not with the one thread of tests.
  const environment = { DATELINE_THREADS: 'auto', NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` }
  const service = await serve(cleanup, words, { environment })
  const { child } = service
  const errors: string[] = []
  let [tail, stoppedAt] = ['', undefined as number | undefined]
  const read = (text: string): void => {
    const found = (tail + text).split('\n')
    tail = found.pop() ?? ''
    for (const line of found) {
      if (line.includes('"level":"error"') && errors.length < 5) errors.push(line.slice(0, 500))
      if (line.includes('"event":"stopped"')) stoppedAt = performance.now()
    }
  }
  read(service.output().stderr)
  child.stderr?.on('data', read)
  return {
    service,
    errors: () => errors,
    ended: () => (child.signalCode !== null ? `signal ${child.signalCode}` : child.exitCode === null ? undefined : `exit code ${child.exitCode}`),
    async stop() {
      const signalled = performance.now()
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
      const exited = once(child, 'exit').then(() => performance.now())
      const code = await service.end('SIGTERM')
      clearTimeout(timer)
      const exitedAt = await exited
      const afterStoppedMs = stoppedAt === undefined ? undefined : Math.max(0, exitedAt - stoppedAt)
      return { totalMs: exitedAt - signalled, afterStoppedMs, code }
    },
  }
}

function accountIn({ status, text }: { readonly status: number; readonly text: string }): Account {
  if (status !== 200) throw new Error(`Cannot sign in: ${status} ${text}`)
  const { data } = JSON.parse(text) as { data: { user: { id: string }; token: string } }
  return { id: data.user.id, token: data.token }
}

function createAddresses(random: Random): () => string {
  let next = random.below(ADDRESSES)
  return () => {
    const n = next++ % ADDRESSES
    return `127.${1 + Math.floor(n / 62_500)}.${Math.floor(n / 250) % 250}.${1 + (n % 250)}`
  }
}

function lines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

function idOf(prefix: string, i: number): string {
  return `${prefix}${i.toString(16).padStart(20, '0')}`
}

function sizeOf(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => {
      try {
        const { size } = statSync(join(parentPath, name))
        return sum + (name.endsWith('-wal') ? Math.max(0, size - WAL_BYTES_KEPT) : size)
      } catch {
        return sum // It went meanwhile.
      }
    }, 0)
}
