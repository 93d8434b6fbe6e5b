/**
 * The service as a process of the executable in TEST_PROGRAM, for the tests that otherwise run it in their own
 * process. It starts in an empty directory with an empty environment.
 *
 * Tests that move the clock need libfaketime: TEST_CLOCK is its file, and then the environment holds only what
 * tells it the time, which stands still as it does in the other case. Without it the time is the real one.
 * What tests do beside the API, such as loading sample content, goes through a second connection to the same directory,
 * as the commands of the program do it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { App } from '../../../src/app.ts'
import { openServices } from '../../../src/app/services.ts'
import { createLog } from '../../../src/base/log.ts'
import { SETTINGS, type Config, type SettingName } from '../../../src/config/settings.ts'
import { openDatabase } from '../../../src/store/db/database.ts'
import { memberOf } from '../../../scripts/tools/cluster/member-place.ts'
import { openMemberServices } from '../cluster/member-services.ts'

const LOOK_MS = 5
/** The etcd servers of the program, where it is a cluster: scripts/cluster/serve-cluster.ts. */
const CLUSTER = process.env['TEST_CLUSTER']

/** For `skip`: why a test cannot run against a process. */
export const ONLY_HERE = process.env['TEST_PROGRAM'] !== undefined && 'it waits for a part of the service in this process'

type OfApp = 'url' | 'instance' | 'services' | 'backups' | 'housekeeping' | 'schedule' | 'feeds' | 'feedPictures' | 'feedFolder' | 'offsite' | 'replaced' | 'idle' | 'written' | 'close'

/** What tests see of the running service, wherever it runs. */
export type HostedApp = Pick<App, OfApp> & {
  /** The position of the services, where they follow a log beside the process: requests carry it. */
  position?(): number | undefined
  /** The address of the first set-up, where the service is in this process. */
  setupUrl?(): Promise<string | undefined>
}

export interface Hosted {
  readonly app: HostedApp
  now(): number
  advance(ms: number): void
}

export interface HostOptions {
  /** An executable, as a path. */
  readonly program: string
  readonly settings: Readonly<Partial<Record<SettingName, string | undefined>>>
  readonly config: Config
  readonly directory: string
  /** An empty directory to run in. */
  readonly workingDirectory: string
  /** When it starts, where the clock is ours. */
  readonly start: number
  readonly logLines: string[]
}

/** Starts the executable and waits until it is ready. Rejects with what it said where it ends before. */
export async function startProcess(options: HostOptions): Promise<Hosted> {
  const { program, settings, config, directory, workingDirectory, start, logLines } = options
  const clock = createClock(join(directory, 'clock'), start)
  const words = SETTINGS.flatMap(({ name, flag }) => (settings[name] === undefined ? [] : [`${flag}=${settings[name]}`]))
  const child = spawn(program, ['serve', ...words, '--log-level=debug', '--log-format=json'], {
    cwd: workingDirectory,
    env: clock.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  createInterface({ input: child.stderr }).on('line', (line) => logLines.push(line))
  const ready = await new Promise<{ url: string; instance: string }>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line) as typeof ready))
    void closed.then(([code]) => reject(new Error(`The service ended with ${code}: ${logLines.join('\n')}`)))
    child.once('error', reject)
  })
  const log = createLog({ level: 'error', format: 'json', now: clock.now, write: (text) => void logLines.push(text) })
  const own = { now: clock.now, log }
  const member = CLUSTER === undefined ? undefined : await openMemberServices(memberConfig(config, CLUSTER), own)
  const services = member?.services ?? (await openServices(config, { jwtSecret: undefined }, { ...own, own: false }))
  const outbox = openDatabase(join(member?.dataDir ?? config.dataDir, 'dateline.db'), { readOnly: true })
  const underWay = (): boolean =>
    outbox.get("SELECT 1 FROM outbox WHERE state = 'waiting' AND (due_at <= ? OR lease_until > ?)", clock.now(), clock.now()) !==
    undefined
  const app: HostedApp = {
    ...ready,
    services,
    position: () => member?.position(),
    // The process has its own, and they cannot be observed: see ONLY_HERE.
    backups: undefined,
    replaced: new Promise<never>(() => {}),
    get schedule(): never {
      throw new Error(`Cannot wait for the process: ${String(ONLY_HERE)}`)
    },
    get offsite(): never {
      throw new Error(`Cannot wait for the process: ${String(ONLY_HERE)}`)
    },
    get feeds(): never {
      throw new Error(`Cannot wait for the process: ${String(ONLY_HERE)}`)
    },
    get feedPictures(): never {
      throw new Error(`Cannot wait for the process: ${String(ONLY_HERE)}`)
    },
    get feedFolder(): never {
      throw new Error(`Cannot wait for the process: ${String(ONLY_HERE)}`)
    },
    get housekeeping(): never {
      throw new Error(`Cannot wait for the process: ${String(ONLY_HERE)}`)
    },
    async idle() {
      // What was requested at another node may not have arrived here yet.
      await member?.newest()
      while (underWay()) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    },
    written: async () => {},
    async close() {
      outbox.close()
      await (member?.close() ?? services.store.close())
      child.kill('SIGTERM')
      const [code] = await closed
      if (code !== 0) throw new Error(`The service ended with ${code}: ${logLines.slice(-5).join('\n')}`)
    },
  }
  return { app, now: clock.now, advance: clock.advance }
}

/** The program has joined one more data directory for the tests. */
function memberConfig(config: Config, etcd: string): Config {
  const { dataDir, prefix } = memberOf(config.dataDir)
  return { ...config, dataDir, cluster: etcd.split(','), clusterPrefix: prefix }
}

function createClock(file: string, start: number) {
  const library = process.env['TEST_CLOCK']
  if (library === undefined) {
    const advance = (): void => {
      throw new Error('The clock is the real one: set TEST_CLOCK to the file of libfaketime')
    }
    return { environment: {}, now: () => Date.now(), advance }
  }
  let time = start
  const set = (): void => {
    // Replaced at once, since the service looks into the file whenever it asks for the time.
    writeFileSync(`${file}.new`, new Date(time).toISOString().replace('T', ' ').replace('Z', '\n'))
    renameSync(`${file}.new`, file)
  }
  set()
  const environment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    TZ: 'UTC', // The file holds local time.
  }
  const advance = (ms: number): void => {
    time += ms
    set()
  }
  return { environment, now: () => time, advance }
}
