/** How a cluster is doing: its nodes as they said last, and etcd's servers as they answer now. */
import { isoDate } from '../base/dates.ts'
import { systemReason } from '../base/system-error.ts'
import type { ClusterStatus } from '../models/responses.ts'
import type { Etcd } from './etcd/etcd-client.ts'
import type { KnownNode, Membership } from './membership.ts'

type State = ClusterStatus['nodes'][number]['state']

export interface ClusterStatusParts {
  readonly etcd: Pick<Etcd, 'endpoints' | 'range' | 'statusAt' | 'members'>
  readonly prefix: string
  readonly site: string
  readonly membership: Pick<Membership, 'list'>
}

/** Rejects with EtcdError where etcd has no quorum. */
export async function clusterStatus({ etcd, prefix, site, membership }: ClusterStatusParts): Promise<ClusterStatus> {
  const [log, keeper, { nodes }, members] = await Promise.all([
    etcd.range({ key: `${prefix}log` }, { isKeysOnly: true }),
    etcd.range({ key: `${prefix}keeper` }),
    membership.list(),
    etcd.members(),
  ])
  const servers = await Promise.all(etcd.endpoints.map((url) => serverStatus(etcd, url)))
  const [first] = servers.flatMap(({ status }) => status ?? [])
  return {
    ...{ prefix, site, position: log.pairs[0]?.modRevision ?? 0 },
    keeper: keeper.pairs[0]?.value.toString() ?? null,
    nodes: nodes.map(nodeStatus),
    etcd: {
      servers: servers.map(({ server }) => server),
      members: members.length,
      bytes: first?.dbBytes ?? 0,
      bytesInUse: first?.dbBytesInUse ?? 0,
    },
  }
}

function nodeStatus(known: KnownNode): ClusterStatus['nodes'][number] {
  const { node, url, isAlive, state, position, version, startedAt, time, snapshot } = known
  return {
    ...{ id: node, url: url ?? null, alive: isAlive, state: state as State, position, version },
    startedAt: isoDate(startedAt),
    heardAt: isoDate(time),
    backup: snapshot === undefined ? null : { position: snapshot.position, at: isoDate(snapshot.at) },
  }
}

async function serverStatus({ statusAt }: Pick<Etcd, 'statusAt'>, url: string) {
  try {
    const status = await statusAt(url)
    const [trouble] = status.errors
    const isLeader = status.leader !== 0n && status.leader === status.member
    return { status, server: { url, version: status.version, isLeader, problem: trouble ?? null } }
  } catch (error) {
    return { status: undefined, server: { url, version: null, isLeader: false, problem: systemReason(error) } }
  }
}
