/**
 * Machines for etcd servers and nodes, as network namespaces of Linux with a link each to a bridge. A link that is down is a
 * partition: packets are lost, and no connection is told. They are made inside a namespace of the run's own, which goes
 * with its last process, and lead nowhere else.
 */
import { spawnSync } from 'node:child_process'
import type { EtcdPlace } from '../tools/cluster/etcd-server.ts'
import { WITH_PARENT } from '../tools/with-parent.ts'

const NETWORK = '10.99.0'
const NEW_NAMESPACES = ['--mount', '--net', '--propagation', 'private']
/** Set in the process that runs inside. */
const INSIDE = 'DRILL_NAMESPACE'

/** Why there can be none here; false where there can. */
export function noMachines(): string | false {
  if (process.platform !== 'linux') return 'network namespaces are of Linux'
  if (process.getuid?.() !== 0) return 'network namespaces want root'
  if (spawnSync('ip', ['-V']).error !== undefined) return 'there is no ip of iproute2'
  return spawnSync('unshare', [...NEW_NAMESPACES, 'true']).status === 0
    ? false
    : 'this machine lets nothing make network namespaces'
}

export const isInsideNamespace = process.env[INSIDE] === '1'

/** Runs this program again, with the same words and seed, in a network and mount namespace of its own. Gives its exit code. */
export function runInsideNamespace(words: readonly string[], seed: number): number {
  const { status } = spawnSync('unshare', [...NEW_NAMESPACES, ...WITH_PARENT, process.execPath, ...words], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1', SEED: String(seed) },
  })
  return status ?? 1
}

export interface Machines {
  readonly places: readonly EtcdPlace[]
  cut(i: number): void
  join(i: number): void
}

/** Call it inside the namespace of the run only. */
export function makeMachines(count: number): Machines {
  mustRun('mkdir', '-p', '/run/netns')
  mustRun('mount', '-t', 'tmpfs', 'none', '/run/netns')
  mustRun('ip', 'link', 'set', 'lo', 'up')
  mustRun('ip', 'link', 'add', 'br0', 'type', 'bridge')
  mustRun('ip', 'addr', 'add', `${NETWORK}.254/24`, 'dev', 'br0')
  mustRun('ip', 'link', 'set', 'br0', 'up')
  const places = Array.from({ length: count }, (_, i) => {
    const [name, host] = [`machine${i}`, `${NETWORK}.${i + 1}`]
    mustRun('ip', 'netns', 'add', name)
    mustRun('ip', 'link', 'add', linkOf(i), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    mustRun('ip', 'link', 'set', linkOf(i), 'master', 'br0', 'up')
    mustRun('ip', '-n', name, 'addr', 'add', `${host}/24`, 'dev', 'eth0')
    mustRun('ip', '-n', name, 'link', 'set', 'eth0', 'up')
    mustRun('ip', '-n', name, 'link', 'set', 'lo', 'up')
    return { host, prefix: ['ip', 'netns', 'exec', name] }
  })
  return {
    places,
    cut: (i) => mustRun('ip', 'link', 'set', linkOf(i), 'down'),
    join: (i) => mustRun('ip', 'link', 'set', linkOf(i), 'up'),
  }
}

const linkOf = (i: number): string => `link${i}`

function mustRun(program: string, ...words: readonly string[]): void {
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`Cannot run ${program} ${words.join(' ')}: ${stderr}`)
}
