/** The checks of `dateline check` on a node: etcd, the other nodes, keys and clocks. They change nothing. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { counted } from '../../base/counted.ts'
import { systemClock } from '../../base/clock.ts'
import { systemReason } from '../../base/system-error.ts'
import { clusterStatus } from '../../cluster/cluster-status.ts'
import { keyRingFile } from '../../cluster/node-identity.ts'
import { SAME_SECRETS, silenceOf, type KnownNode } from '../../cluster/membership.ts'
import { CLOCK_TOLERANCE_MS, peerClockDifference } from '../../cluster/peer-clock.ts'
import { openKeyRing } from '../../cluster/sealing/key-ring.ts'
import { newestEpoch } from '../../cluster/log/epochs.ts'
import type { Arguments, Terminal } from '../command.ts'
import { withMember, type Member } from '../cluster/member.ts'
import { Problem, type Check } from './service-checks.ts'

const SILENT_MS_MAX = 5_000

/** Each connects for itself, so that one which fails takes no other with it. */
export function clusterChecks(args: Arguments, terminal: Terminal): readonly [string, Check][] {
  const check = (work: (member: Member) => ReturnType<Check>): Check => () => withMember(args, terminal, async (member) => work(member))
  return [
    ['etcd', check(checkEtcdServers)],
    ['nodes', check(checkNodes)],
    ['keys', check(checkKeys)],
    ['clocks', check(checkClocks)],
  ]
}

/** A server with an alarm answers: to start it is no remedy. */
const ALARMS: readonly (readonly [alarm: RegExp, text: string])[] = [
  [
    /NOSPACE/,
    'the database of etcd has reached its quota (alarm NOSPACE), so nothing can be written: raise ETCD_QUOTA_BACKEND_BYTES, or run ' +
      '"etcdctl defrag" on one server after the other, as dateline has compacted what its log no longer needs; then run "etcdctl alarm disarm"',
  ],
  [
    /CORRUPT/,
    'a server of etcd differs from the others (alarm CORRUPT), so nothing can be written: replace that member, as the guide of etcd ' +
      'says under "data corruption"; then run "etcdctl alarm disarm"',
  ],
]

async function checkEtcdServers({ etcd, target, identity, membership }: Member) {
  const { etcd: found } = await clusterStatus({ etcd, prefix: target.prefix, site: identity.site, membership })
  const faulty = found.servers.filter(({ problem }) => problem !== null).map(({ url, problem }) => `${url}: ${problem}`)
  const alarms = ALARMS.filter(([pattern]) => found.servers.some(({ problem }) => problem !== null && pattern.test(problem)))
  if (alarms.length > 0) throw new Problem(alarms.map(([, text]) => text).join('; '))
  const text = `${found.servers.length} of ${found.members} servers are named`
  if (faulty.length === 0) return `${text}, all answer`
  if (faulty.length * 2 >= found.members) throw new Problem(`${faulty.join('; ')}: start them: without a majority nothing can be written`)
  return { warning: `${text}; ${faulty.join('; ')}` }
}

async function checkNodes({ identity, membership }: Member) {
  const { nodes, strangers } = await membership.list()
  if (strangers.length > 0) throw new Problem(`node ${strangers.join(' and ')} has other secrets than this one: ${SAME_SECRETS}`)
  const problems = nodes.flatMap((one) => problemOf(one, identity.node))
  const text = counted(nodes.length, 'node')
  return problems.length === 0 ? `${text}, as far as they say in step` : { warning: `${text}; ${problems.join('; ')}` }
}

function problemOf(known: KnownNode, own: string): readonly string[] {
  const { node, isAlive, state } = known
  if (isAlive) return state === 'in-step' || state === 'behind' ? [] : [`node ${node} says "${state}"`]
  return node === own ? [] : [`node ${node} ${silenceOf(known)}: start it, or run "dateline cluster remove ${node}"`]
}

async function checkKeys({ config, etcd, target }: Member) {
  const file = keyRingFile(resolve(config.dataDir))
  if (!existsSync(file)) throw new Problem(`${file} is missing: join the cluster again with an empty data directory`)
  const ring = openKeyRing(file)
  const newest = await newestEpoch(etcd, target.prefix)
  if (newest <= ring.newest) return `of epoch ${ring.newest}, the newest`
  return { warning: `of epoch ${ring.newest}, and the log has come to ${newest}: start the service, which takes its keys` }
}

async function checkClocks({ target, identity, membership }: Member) {
  const { nodes } = await membership.list()
  const others = nodes.filter(({ node, isAlive }) => node !== identity.node && isAlive)
  const found = await Promise.all(others.map((one) => clockOf(one, target.ca)))
  const wrong = found.filter((text) => text !== undefined)
  if (wrong.length > 0) throw new Problem(`${wrong.join('; ')}: set all clocks by NTP`)
  return others.length === 0 ? 'no other node runs' : `that of this machine and of ${counted(others.length, 'other node')} agree`
}

/** What is wrong with the clock of a node. One that cannot be asked is no matter of clocks. */
async function clockOf({ node, url }: KnownNode, ca: string | undefined): Promise<string | undefined> {
  if (url === undefined) return undefined
  try {
    const ms = await peerClockDifference({ url, ca, signal: AbortSignal.timeout(SILENT_MS_MAX) }, systemClock)
    if (Math.abs(ms) <= CLOCK_TOLERANCE_MS) return undefined
    return `the clock of node ${node} is ${(Math.abs(ms) / 1000).toFixed(1)} s or more ${ms < 0 ? 'behind' : 'ahead of'} that of this machine`
  } catch (error) {
    return `node ${node} cannot be asked: ${systemReason(error)}`
  }
}
