/** The nodes of the cluster, how far each is, and the servers of etcd. A service that runs alone has no such part. */
import type { ClusterStatus } from '../../../models/responses.ts'
import { numberText, t } from '../../texts.ts'
import { h, type Child } from '../../kit/dom.ts'
import { code, tag } from '../../kit/elements.ts'
import { byteSize, dateTime } from '../../kit/moments.ts'
import { readInto } from '../../kit/read-into.ts'
import type { OpenPart } from './part.ts'
import { recordsTable } from '../../kit/table/records-table.ts'

export const clusterPart: OpenPart = (context) => {
  const element = h('div', { class: 'part' })
  readInto(context, { element, lines: 8, read: (options) => context.client.admin.cluster(options), show })
  return { element }
}

function show({ nodes, keeper, position, etcd }: ClusterStatus): Child {
  return [
    h('p', { class: 'soft' }, t('cluster.about', { position: numberText(position), size: byteSize(etcd.bytesInUse) })),
    recordsTable(
      t('operations.cluster'),
      [
        { title: t('cluster.node'), cell: ({ id, url }) => code(url ?? id) },
        { title: t('state'), cell: (node) => [stateOf(node), node.id === keeper ? [' · ', t('cluster.keeper')] : []] },
        { title: t('cluster.position'), kind: 'number', cell: (node) => numberText(node.position) },
        { title: t('cluster.lag'), kind: 'number', cell: (node) => numberText(Math.max(0, position - node.position)) },
        { title: t('cluster.backup'), cell: ({ backup }) => (backup === null ? '–' : dateTime(backup.at)) },
        { title: t('status.version'), cell: ({ version }) => code(version) },
      ],
      nodes,
    ),
    recordsTable(
      'etcd',
      [
        { title: t('cluster.server'), cell: ({ url }) => code(url) },
        { title: t('state'), cell: serverState },
        { title: t('status.version'), cell: ({ version }) => (version === null ? '–' : code(version)) },
      ],
      etcd.servers,
    ),
  ]
}

function stateOf({ alive, state, heardAt }: ClusterStatus['nodes'][number]): Child {
  if (!alive) return tag('warn', t(state === 'joined' ? 'cluster.joined' : 'cluster.silent'), ' ', dateTime(heardAt))
  return state === 'in-step' ? t('cluster.in-step') : tag('warn', t(`cluster.${state}`))
}

function serverState({ isLeader, problem }: ClusterStatus['etcd']['servers'][number]): Child {
  if (problem !== null) return h('span', { class: 'soft', lang: 'en', dir: 'auto' }, problem)
  return t(isLeader ? 'cluster.leader' : 'cluster.follower')
}
