/** The checks of `dateline check` on a node: etcd, the other nodes, keys and clocks. They change nothing. */
import { counted } from '../../base/counted.ts'
import { systemClock } from '../../base/clock.ts'
import { systemReason } from '../../base/system-error.ts'
import { clusterStatus } from '../../cluster/cluster-status.ts'
import { SAME_SECRETS, silenceOf, type KnownNode } from '../../cluster/membership.ts'
import { CLOCK_TOLERANCE_MS, peerClockDifference } from '../../cluster/peer-clock.ts'
import { newestEntryKey } from '../../cluster/log/etcd-log.ts'
import type { Arguments, Terminal } from '../command.ts'
import { withMember, type Member } from '../cluster/member.ts'
import { Problem, type Check } from './check.ts'

const SILENT_MS_MAX = 5_000

/** Each connects for itself, so that one which fails takes no other with it. */
export function clusterChecks(args: Arguments, terminal: Terminal): readonly [string, Check][] {
  const check = (work: (member: Member) => ReturnType<Check>): Check => () => withMember(args, terminal, async (member) => work(member))
  return [
    ['etcd', check(checkEtcdServers)],
    ['nodes', check(checkNodes)],
    ['keys', check(checkSecrets)],
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

async function checkSecrets({ etcd, target, keys }: Member) {
  const newest = await newestEntryKey(etcd, target.prefix)
  if (newest === undefined) return 'the log has no entry yet'
  if (keys.entries[0].id === newest) return 'they open the newest entry of the log'
  if (keys.entries.some(({ id }) => id === newest)) return { warning: `the newest entry of the log is sealed with an older secret: ${SAME_SECRETS}` }
  throw new Problem(`the newest entry of the log is sealed with another secret: ${SAME_SECRETS}`)
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
