/** The documents that all clients of the drill work on, and the last look at them. */
import { REMOTE_CONFIG, REMOTE_CONFIG_ID, TOPIC } from '../tools/data-bodies.ts'
import { createClusterClient, type ClientResponse } from './cluster-client.ts'
import type { Operation } from './operation.ts'
import type { RunningCluster } from './running-cluster.ts'
import { LIMIT } from './workload.ts'

const REGISTERS = 8
const LISTS = 4

export interface SharedDocuments {
  readonly registers: readonly string[]
  readonly lists: readonly string[]
}

/** Creates them at the first node. Records the first value of each. */
export async function prepareDocuments({ nodes, token }: RunningCluster, record: (operation: Operation) => void): Promise<SharedDocuments> {
  const client = createClusterClient(0, nodes.ports)
  const send = async (method: string, path: string, body: unknown): Promise<ClientResponse> => {
    const response = await client.call({ node: 0, method, path: `/api/v1/data${path}`, token, body, consistency: 'session' })
    if (response.outcome !== 'ok') throw new Error(`Cannot prepare the drill: ${response.status} ${response.text}`)
    return response
  }
  const create = async (description: string): Promise<string> => {
    const response = await send('POST', '?model=topic', { ...TOPIC, description, entries: [] })
    const key = String(response.data['id'])
    if (description !== '') record({ ...response.seen, kind: 'write', key, value: description })
    return key
  }
  const registers: string[] = []
  const lists: string[] = []
  for (let i = 0; i < REGISTERS; i++) registers.push(await create('first'))
  for (let i = 0; i < LISTS; i++) lists.push(await create(''))
  const there = await client.call({ node: 0, method: 'GET', path: `/api/v1/data/${REMOTE_CONFIG_ID}?model=remote_config`, token, consistency: 'session' })
  const response =
    there.status === 404
      ? await send('POST', '?model=remote_config', REMOTE_CONFIG)
      : await send('PUT', `/${REMOTE_CONFIG_ID}?model=remote_config`, REMOTE_CONFIG)
  const { guestFollowedItemsLimit } = REMOTE_CONFIG.userPreferenceConfig
  record({ ...response.seen, kind: 'setLimit', key: LIMIT, value: String(guestFollowedItemsLimit) })
  client.close()
  return { registers, lists }
}

/** Strong reads of every document at every node, after the last fault. */
export async function readEverything({ nodes, token }: RunningCluster, { registers, lists }: SharedDocuments, record: (operation: Operation) => void): Promise<void> {
  const client = createClusterClient(-1, nodes.ports)
  for (const [node] of nodes.ports.entries()) {
    for (const key of [...registers, ...lists]) {
      const path = `/api/v1/data/${key}?model=topic`
      const { seen, data } = await client.call({ node, method: 'GET', path, token, consistency: 'strong' })
      const list = lists.includes(key) ? ((data['entries'] ?? []) as readonly string[]) : undefined
      const value = list === undefined ? String(data['description']) : (list.at(-1) ?? '')
      record({ ...seen, kind: 'strongRead', key, value, list })
    }
  }
  client.close()
}
