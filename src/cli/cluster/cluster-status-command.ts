/** `dateline cluster status`: nodes, log and etcd, from a node. */
import { resolve } from 'node:path'
import { counted, sizeText } from '../../base/counted.ts'
import { systemClock } from '../../base/clock.ts'
import { parseIsoDate } from '../../base/dates.ts'
import { clusterStatus } from '../../cluster/cluster-status.ts'
import { JOINED } from '../../cluster/membership.ts'
import type { ClusterStatus } from '../../models/responses.ts'
import { filePosition } from '../../store/cluster/position-table.ts'
import { databaseFile } from '../../store/db/data-dir.ts'
import { EXIT, JSON_FLAG, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { printTable } from '../print-table.ts'
import { withMember } from './member.ts'

export const clusterStatusCommand: Command = {
  name: 'cluster status',
  summary: 'show the nodes of the cluster, how far each is, its log and the servers of etcd',
  options: [JSON_FLAG],
  settings: DATA_SETTINGS,
  examples: ['dateline cluster status --cluster https://e1:2379', 'dateline cluster status --json'],
  run: (args, terminal) =>
    withMember(args, terminal, async ({ config, etcd, target, identity, membership }) => {
      const status = await clusterStatus({ etcd, prefix: target.prefix, site: identity.site, membership })
      // Also where the log in etcd was set back, and tells another one.
      const here = filePosition(databaseFile(resolve(config.dataDir)))?.position ?? 0
      terminal.stdout.write(args.options.has('--json') ? `${JSON.stringify({ ...status, here })}\n` : textOf(status, { own: identity.node, here }))
      return EXIT.ok
    }),
}

function textOf({ nodes, keeper, position, etcd, prefix }: ClusterStatus, { own, here }: { own: string; here: number }): string {
  const rows = nodes.map(({ id, url, alive, state, position: reached, version, heardAt, backup }) => [
    `${id}${id === own ? ' (this)' : ''}${id === keeper ? ' keeper' : ''}`,
    alive ? state : state === JOINED ? `joined ${heardAt}, never started` : `silent since ${heardAt}`,
    String(reached),
    String(Math.max(0, position - reached)),
    backup === null ? 'none' : `${backup.position}, ${ageText(backup.at)}`,
    version,
    url ?? 'no URL',
  ])
  const servers = etcd.servers.map(({ url, version, isLeader, problem }) => [
    url,
    problem === null ? (isLeader ? 'leader' : 'follower') : problem,
    version ?? '',
  ])
  return (
    `Log at ${prefix}, position ${position}; etcd has ${counted(etcd.members, 'member')} and a database of ${sizeText(etcd.bytes)}, of which ${sizeText(etcd.bytesInUse)} are in use\n` +
    `The database of this data directory is at position ${here}\n\n` +
    `${printTable(['node', 'state', 'position', 'revisions behind', 'backup', 'version', 'url'], rows)}\n` +
    printTable(['etcd', 'state', 'version'], servers)
  )
}

function ageText(at: string): string {
  const minutes = Math.max(0, Math.round((systemClock() - Date.parse(parseIsoDate(at) ?? at)) / 60_000))
  return minutes < 120 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`
}
