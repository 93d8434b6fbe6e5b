/** What an example of examples/cluster says, read so that it can be run without Docker and systemd. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const EXAMPLES = join(import.meta.dirname, '../../examples/cluster')
/** The first machine of the example for systemd, as its files name it. */
const [OWN_NAME, OWN_ADDRESS, DOMAIN] = ['n1', '10.0.0.1', 'example.org']
/** Variables that are the same on all machines. */
const OF_ALL = ['ETCD_INITIAL_CLUSTER', 'DATELINE_CLUSTER']
const MACHINES = 3

/** A program on one machine. */
export interface ExampleProcess {
  /** Which of the machines, from 0. */
  readonly machine: number
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

export interface Example {
  /** The names of the machines, by which they know each other. */
  readonly names: readonly string[]
  readonly etcd: readonly ExampleProcess[]
  /** `words` are those of `dateline serve`. */
  readonly nodes: readonly ExampleProcess[]
  readonly port: number
  /** Where the machine with this place has its certificates. */
  readonly tls: (machine: number) => string
}

/** The units of systemd on three machines, with their files below a directory in place of `/`. */
export function systemdExample(directory: string, hosts: readonly string[]): Example {
  const rootOf = (machine: number): string => join(directory, String(machine))
  const processOf = (machine: number, unit: string): ExampleProcess => {
    const moved = (text: string): string => text.replaceAll(/(?<![\w/])\/(?=etc\/dateline|var\/lib\/)/g, `${rootOf(machine)}/`)
    const [, start = ''] = /^ExecStart=\S+ ((?:.*\\\n)*.*)$/m.exec(read(unit)) ?? []
    return {
      machine,
      words: moved(start).split(/[\s\\]+/),
      environment: environmentOf(read('cluster.env'), { name: `n${machine + 1}`, host: hosts[machine] ?? '' }),
    }
  }
  const all = (unit: string): readonly ExampleProcess[] => Array.from({ length: MACHINES }, (_, i) => processOf(i, unit))
  for (let i = 0; i < MACHINES; i++) for (const part of ['etc/dateline', 'var/lib']) mkdirSync(join(rootOf(i), part), { recursive: true })
  return {
    names: Array.from({ length: MACHINES }, (_, i) => `n${i + 1}.${DOMAIN}`),
    etcd: all('dateline-etcd.service'),
    nodes: all('dateline-node.service'),
    port: 8443,
    tls: (machine) => join(rootOf(machine), 'etc/dateline'),
  }
}

/** The file of a machine: its own names and addresses in place of those of the first one. */
function environmentOf(text: string, { name, host }: { readonly name: string; readonly host: string }): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const [variable = '', value = ''] = line.split(/=(.*)/)
      const own = value.replaceAll(OWN_ADDRESS, host).replaceAll(new RegExp(`\\b${OWN_NAME}\\b`, 'g'), name)
      return [variable, OF_ALL.includes(variable) ? value : own]
    }),
  )
}

interface ComposeService {
  readonly image: string
  readonly environment: Readonly<Record<string, string>>
  readonly volumes: readonly string[]
}

/** Each service of compose on a machine of its own, its volumes below a directory. Undefined without PyYAML. */
export function composeExample(directory: string): Example | undefined {
  const script = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)["services"]))'
  const { status, stdout } = spawnSync('python3', ['-c', script], { input: read('compose.yaml'), encoding: 'utf8' })
  if (status !== 0) return undefined
  const services = Object.entries(JSON.parse(stdout) as Record<string, ComposeService>)
  const tls = join(directory, 'tls')
  mkdirSync(tls)
  const processes = services.map(([name, { image, environment, volumes }], machine) => {
    const mounts = volumes.map((volume) => volume.split(':')).map(([from = '', to = '']) => [to, join(directory, from)] as const)
    const moved = (value: string): string => mounts.reduce((text, [to, from]) => (text.startsWith(to) ? from + text.slice(to.length) : text), value)
    for (const [, from] of mounts) mkdirSync(from, { recursive: true, mode: 0o700 })
    const given = image === 'dateline' ? { DATELINE_HOST: '0.0.0.0', DATELINE_DATA_DIR: '/data', ...environment } : environment
    const moving = Object.entries(given).map(([variable, value]) => [variable, moved(value)])
    return { name, image, process: { machine, words: image === 'dateline' ? ['serve'] : [], environment: Object.fromEntries(moving) } }
  })
  const of = (isNode: boolean): ExampleProcess[] => processes.filter(({ image }) => (image === 'dateline') === isNode).map((one) => one.process)
  return { names: services.map(([name]) => name), etcd: of(false), nodes: of(true), port: 8443, tls: () => tls }
}

function read(name: string): string {
  return readFileSync(join(EXAMPLES, name), 'utf8')
}
