/**
 * The clients of the drill: each goes on until it is told to stop, at a random node for each request, and records every
 * operation. All of what they do can be judged from the history alone; see operation.ts.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { HEADLINE, REMOTE_CONFIG, REMOTE_CONFIG_ID, TOPIC } from '../tools/data-bodies.ts'
import type { Random } from '../tools/random.ts'
import type { ClientResponse, ClusterClient } from './cluster-client.ts'
import type { Mailbox } from '../tools/mailbox.ts'
import type { Operation } from './operation.ts'

const MAIL_MS_MAX = 15_000
const MAIL_POLL_MS = 40
const REST_MS_MAX = 40
export const LIMIT = 'guestFollowedItems'
const LIMITS = [3, 5, 8]
const ETAG_NONE = ''

export interface Workload {
  readonly client: ClusterClient
  readonly random: Random
  readonly nodes: number
  /** Of the administrator. */
  readonly token: string
  /** Ids of documents that are registers, and of those that are lists of appends. */
  readonly registers: readonly string[]
  readonly lists: readonly string[]
  readonly mailbox: Mailbox
  record(operation: Operation): void
  isOver(): boolean
}

type Read = 'strong' | 'session' | 'plain'

const target = (model: string, id = ''): string => `/api/v1/data${id === '' ? '' : `/${id}`}?model=${model}`
const entriesOf = (data: Readonly<Record<string, unknown>>): readonly string[] => (data['entries'] as readonly string[] | undefined) ?? []
const anyNode = ({ random, nodes }: Workload): number => random.below(nodes)

/** Reads and replaces registers, with and without conditions. */
export async function replaceRegisters(work: Workload): Promise<void> {
  const { client, random, registers } = work
  for (let i = 0; !work.isOver(); i++) {
    await pause(random.below(REST_MS_MAX))
    const id = random.pick(registers)
    const consistency = random.pick<Read>(['strong', 'session', 'plain'])
    const found = await readRegister(work, id, consistency)
    if (found.outcome !== 'ok' || random.oneIn(3)) continue
    const value = `${client.id}.${i}`
    // A condition on what a plain read found is refused where that is old.
    const isConditional = !random.oneIn(6)
    const response = await client.call({
      ...{ node: anyNode(work), method: 'PUT', path: target('topic', id), token: work.token, consistency: 'session' },
      body: { ...TOPIC, id, description: value },
      ifMatch: isConditional ? found.etag : undefined,
    })
    const expected = isConditional ? String(found.data['description']) : undefined
    work.record({ ...response.seen, kind: 'write', key: id, value, expected })
  }
}

async function readRegister(work: Workload, id: string, consistency: Read): Promise<ClientResponse> {
  const response = await work.client.call({ node: anyNode(work), method: 'GET', path: target('topic', id), token: work.token, consistency })
  const value = String(response.data['description'] ?? '')
  work.record({ ...response.seen, kind: `${consistency}Read`, key: id, value })
  return response
}

/** Adds entries to lists, each with the version that was read. */
export async function appendEntries(work: Workload): Promise<void> {
  const { client, random, lists } = work
  for (let i = 0; !work.isOver(); i++) {
    await pause(random.below(REST_MS_MAX))
    const id = random.pick(lists)
    const consistency = random.pick<Read>(['strong', 'session'])
    const path = target('topic', id)
    const found = await client.call({ node: anyNode(work), method: 'GET', path, token: work.token, consistency })
    const list = entriesOf(found.data)
    const expected = list.at(-1) ?? ''
    work.record({ ...found.seen, kind: `${consistency}Read`, key: id, value: expected, list })
    if (found.outcome !== 'ok' || found.etag === ETAG_NONE) continue
    const value = `${client.id}.${i}`
    const body = { ...TOPIC, id, entries: [...list, value] }
    const call = { node: anyNode(work), method: 'PUT', path, token: work.token, body, ifMatch: found.etag }
    const response = await client.call({ ...call, consistency: 'session' })
    work.record({ ...response.seen, kind: 'append', key: id, value, expected })
  }
}

/** Creates headlines, each with a text of its own. Nothing is sent twice. */
export async function insertHeadlines(work: Workload): Promise<void> {
  const { client, random, token } = work
  for (let i = 0; !work.isOver(); i++) {
    await pause(random.below(REST_MS_MAX))
    const key = `insert ${client.id}.${i}`
    const body = { ...HEADLINE, title: key }
    const response = await client.call({ node: anyNode(work), method: 'POST', path: target('headline'), token, body, consistency: 'session' })
    work.record({ ...response.seen, kind: 'insert', key })
  }
}

/** Signs in with one code at two nodes at once, as a guest every other time. */
export async function useCodes(work: Workload): Promise<void> {
  const { client, random } = work
  for (let i = 0; !work.isOver(); i++) {
    await pause(random.below(REST_MS_MAX) * 10)
    const guest = i % 2 === 0 ? await becomeGuest(work) : undefined
    const email = `reader-${client.id}-${i}@example.org`
    const code = await requestCode(work, email)
    if (code === undefined) continue
    const first = anyNode(work)
    const verify = async (node: number): Promise<void> => {
      const call = { node, method: 'POST', path: '/api/v1/auth/verify-code', token: guest?.token, body: { email, code } }
      const response = await client.call({ ...call, consistency: 'session' })
      const id = String((response.data['user'] as { id?: string } | undefined)?.id ?? '')
      work.record({ ...response.seen, kind: 'useCode', key: `${email} ${code}`, value: id })
      if (guest !== undefined && id === guest.id) work.record({ ...response.seen, kind: 'convert', key: guest.id, value: email })
    }
    await Promise.all([verify(first), verify((first + 1) % work.nodes)])
  }
}

/** The same guest becomes two accounts at two nodes at once, of which one keeps the id. */
export async function convertGuests(work: Workload): Promise<void> {
  const { client, random } = work
  for (let i = 0; !work.isOver(); i++) {
    await pause(random.below(REST_MS_MAX) * 10)
    const guest = await becomeGuest(work)
    if (guest === undefined) continue
    const emails = [`first-${client.id}-${i}@example.org`, `second-${client.id}-${i}@example.org`]
    const codes = await Promise.all(emails.map((email) => requestCode(work, email)))
    const first = anyNode(work)
    await Promise.all(
      emails.map(async (email, j) => {
        const body = { email, code: codes[j] ?? '' }
        if (body.code === '') return
        const call = { node: (first + j) % work.nodes, method: 'POST', path: '/api/v1/auth/verify-code', token: guest.token, body }
        const response = await client.call({ ...call, consistency: 'session' })
        const id = String((response.data['user'] as { id?: string } | undefined)?.id ?? '')
        if (response.outcome === 'ok' && id !== guest.id) work.record({ ...response.seen, kind: 'addUser', key: email, value: id })
        else if (response.outcome !== 'failed') work.record({ ...response.seen, kind: 'convert', key: guest.id, value: email })
      }),
    )
  }
}

/** Adds one email at two nodes at once. */
export async function addUsers(work: Workload): Promise<void> {
  const { client, random, token } = work
  for (let i = 0; !work.isOver(); i++) {
    await pause(random.below(REST_MS_MAX) * 4)
    const email = `added-${client.id}-${i}@example.org`
    const first = anyNode(work)
    await Promise.all(
      [first, (first + 1) % work.nodes].map(async (node) => {
        const call = { node, method: 'POST', path: target('user'), token, body: { email } }
        const response = await client.call({ ...call, consistency: 'session' })
        work.record({ ...response.seen, kind: 'addUser', key: email, value: String(response.data['id'] ?? '') })
      }),
    )
  }
}

/** Changes the limit, in turn: one client only. */
export async function changeLimits(work: Workload): Promise<void> {
  const { client, random, token } = work
  for (; !work.isOver(); await pause(random.below(REST_MS_MAX) * 10)) {
    const limit = random.pick(LIMITS)
    const body = {
      ...REMOTE_CONFIG,
      userPreferenceConfig: { ...REMOTE_CONFIG.userPreferenceConfig, guestFollowedItemsLimit: limit },
    }
    const call = { node: anyNode(work), method: 'PUT', path: target('remote_config', REMOTE_CONFIG_ID), token, body }
    const response = await client.call({ ...call, consistency: 'session' })
    work.record({ ...response.seen, kind: 'setLimit', key: LIMIT, value: String(limit) })
  }
}

/** New guests follow as many topics as a limit allows, or one more. */
export async function followTopics(work: Workload): Promise<void> {
  const { client, random } = work
  for (; !work.isOver(); await pause(random.below(REST_MS_MAX) * 4)) {
    const guest = await becomeGuest(work)
    if (guest === undefined) continue
    const count = random.pick(LIMITS) + random.below(2)
    const body = {
      ...{ id: guest.id, followedCountries: [], followedSources: [], savedHeadlines: [], savedFilters: [] },
      followedTopics: Array.from({ length: count }, (_, i) => ({ ...TOPIC, id: `66f0000000000000000003${10 + i}` })),
    }
    const call = { node: anyNode(work), method: 'PUT', path: target('user_content_preferences', guest.id), token: guest.token, body }
    const response = await client.call({ ...call, consistency: 'session' })
    work.record({ ...response.seen, kind: 'follow', key: LIMIT, value: String(count) })
  }
}

async function becomeGuest(work: Workload): Promise<{ readonly id: string; readonly token: string } | undefined> {
  const call = { node: anyNode(work), method: 'POST', path: '/api/v1/auth/anonymous', body: {} }
  const { outcome, data } = await work.client.call({ ...call, consistency: 'session' })
  const { user, token } = data as { user?: { id: string }; token?: string }
  return outcome === 'ok' && user !== undefined && token !== undefined ? { id: user.id, token } : undefined
}

/** Undefined where no code came: whether it should have is what the drill of mail tests. */
async function requestCode(work: Workload, email: string): Promise<string | undefined> {
  const call = { node: anyNode(work), method: 'POST', path: '/api/v1/auth/request-code', body: { email } }
  const { status } = await work.client.call({ ...call, consistency: 'session' })
  if (status !== 202) return undefined
  let code: string | undefined
  for (const begun = performance.now(); code === undefined && performance.now() - begun < MAIL_MS_MAX && !work.isOver(); ) {
    await pause(MAIL_POLL_MS)
    code = work.mailbox.newestCode(email)
  }
  return code
}
