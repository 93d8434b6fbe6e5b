/**
 * A checker of changes: writers change topics at random while readers keep copies of them, over streams and over pages,
 * through restarts of the service. What must hold: no copy ever has a document that its reader may not see, changes come in
 * their order and each once, and in the end every copy is what its reader's list shows.
 */
import { setTimeout as pause } from 'node:timers/promises'
import {
  createClient,
  DatelineError,
  mapStore,
  mirror,
  readChanges,
  type ChangeEvent,
  type Client,
  type Filter,
  type MirrorStore,
} from '../../src/client/client.ts'
import type { Models } from '../../src/client/client-types.ts'
import type { Random } from '../tools/random.ts'

type Topic = Models['topic']

/** Stands for wherever the service is now. */
const SITE = 'http://site.invalid'
const STATUSES = ['active', 'active', 'draft', 'archived'] as const
const NAMES = ['Followed', 'Followed', 'Other'] as const
/** Topics that one writer has at a time. */
const OWN_MAX = 12
const DEADLINE_MS = 180_000
const POLL_MS = 50

/** A service that hides what is not active from readers, and may be gone for a while. */
export interface Site {
  /** Resolves while it serves. */
  url(): Promise<string>
  restart(): Promise<void>
  /** The token of an administrator. */
  readonly admin: string
}

export interface FollowingOptions {
  readonly site: Site
  readonly random: Random
  readonly writers: number
  /** Of each writer. */
  readonly writes: number
  readonly restarts: number
}

/** Returns a line of what happened. Throws an Error that lists what should not have. */
export async function followChanges({ site, random, writers, writes, restarts }: FollowingOptions): Promise<string> {
  const admin = clientOf(site, site.admin)
  const guest = clientOf(site, undefined)
  await persistently(() => guest.auth.anonymous())
  const faults: string[] = []
  const stop = new AbortController()
  const copies = [
    createCopy('an administrator', admin, undefined, faults),
    createCopy('a guest', guest, undefined, faults),
    createCopy('a guest with a filter', guest, { name: 'Followed' }, faults),
  ]
  const pages = copyOfPages(guest, faults)
  const running = [...copies.map((copy) => copy.run(stop.signal)), pages.run(stop.signal)]
  let [done, restarted] = [0, 0]
  const restartEvery = Math.floor((writers * writes) / (restarts + 1))
  const write = createWriter(admin, random)
  const writing = Array.from({ length: writers }, async () => {
    const own: string[] = []
    for (let i = 0; i < writes; i++) {
      await write(own)
      done++
      if (restarted >= restarts || done < restartEvery * (restarted + 1)) continue
      restarted++
      await site.restart()
      // As an app that starts again with what it has kept.
      random.pick(copies).interrupt()
    }
  })
  await Promise.all(writing)
  const all = [...copies, pages]
  const until = performance.now() + DEADLINE_MS
  for (const copy of all) {
    while ((await copy.difference()) !== undefined && performance.now() < until && faults.length === 0) await pause(POLL_MS)
    const difference = await copy.difference()
    if (difference !== undefined) faults.push(`${copy.name}: ${difference}`)
  }
  stop.abort()
  await Promise.all(running)
  if (faults.length > 0) throw new Error(`${faults.length} faults:\n  ${faults.slice(0, 20).join('\n  ')}`)
  const events = all.map(({ name, events }) => `${name} ${events()}`).join(', ')
  return `${done} writes of ${writers} writers, ${restarted} restarts; events of ${events}; every copy is its list`
}

function clientOf(site: Site, token: string | undefined): Client {
  return createClient({ url: SITE, token, fetch: async (url, init) => fetch(url.replace(SITE, await site.url()), init) })
}

/** Does one random write to a topic of the writer; what was written when no reply came only the service knows. */
function createWriter(client: Client, random: Random) {
  const topics = client.data('topic')
  const body = () => ({ name: random.pick(NAMES), status: random.pick(STATUSES), description: String(random.below(1e6)), iconUrl: '' })
  return async (own: string[]): Promise<void> => {
    const id = own.length === 0 || (own.length < OWN_MAX && random.oneIn(4)) ? undefined : random.pick(own)
    try {
      if (id === undefined) own.push((await topics.create(body())).document.id)
      else if (random.oneIn(6)) {
        await topics.remove(id)
        own.splice(own.indexOf(id), 1)
      } else await topics.patch(id, body())
    } catch (error) {
      // A deletion whose reply was lost.
      const isGone = error instanceof DatelineError && error.code === 'notFound'
      if (isGone && id !== undefined) own.splice(own.indexOf(id), 1)
      else await waitAfter(error)
    }
  }
}

function createCopy(name: string, client: Client, filter: Filter | undefined, faults: string[]) {
  const documents = new Map<string, Topic>()
  const check = createChecks(name, faults, filter !== undefined || name.startsWith('a guest'))
  const store: MirrorStore<Topic> = mapStore(documents)
  let events = 0
  let run = new AbortController()
  const follow = async (signal: AbortSignal): Promise<void> => {
    for await (const event of mirror(client, 'topic', { filter, store }, { signal })) {
      events++
      check(event)
    }
  }
  return {
    name,
    events: () => events,
    interrupt: (): void => run.abort(),
    async run(stop: AbortSignal): Promise<void> {
      while (!stop.aborted) {
        run = new AbortController()
        try {
          await follow(AbortSignal.any([run.signal, stop]))
        } catch (error) {
          // A list that was read when the service died.
          if (!run.signal.aborted && !stop.aborted) await waitAfter(error)
        }
      }
    },
    difference: () => differenceOf(client, filter, documents),
  }
}

/** A copy by pages that wait for a change. */
function copyOfPages(client: Client, faults: string[]) {
  const documents = new Map<string, Topic>()
  const check = createChecks('pages', faults, true)
  let [next, events] = [undefined as string | undefined, 0]
  const step = async (signal: AbortSignal): Promise<void> => {
    const page = await readChanges(client, { models: ['topic'], since: next ?? '0', wait: 20, limit: 7 }, { signal })
    for (const change of page.items) {
      events++
      check({ kind: 'change', change, next: page.next })
      if (change.deleted) documents.delete(change.id)
      else documents.set(change.id, change.document)
    }
    next = page.next
  }
  return {
    name: 'pages',
    events: () => events,
    async run(stop: AbortSignal): Promise<void> {
      while (!stop.aborted) {
        try {
          await step(stop)
        } catch (error) {
          if (!stop.aborted) await waitAfter(error)
        }
      }
    },
    difference: () => differenceOf(client, undefined, documents),
  }
}

/** Looks at each event: order, and what is not for this reader. */
function createChecks(name: string, faults: string[], isReader: boolean) {
  let last = 0
  return (event: ChangeEvent<'topic'>): void => {
    if (event.kind === 'resync') {
      last = 0
      return
    }
    const { change } = event
    if (change.seq <= last) faults.push(`${name}: seq ${change.seq} came behind ${last}`)
    last = change.seq
    if (isReader && !change.deleted && change.document.status !== 'active') faults.push(`${name}: a document that is ${change.document.status}`)
    if (isReader && change.by !== undefined) faults.push(`${name}: who changed it`)
  }
}

/** The first difference between a copy and the list of its reader. */
async function differenceOf(client: Client, filter: Filter | undefined, documents: ReadonlyMap<string, Topic>): Promise<string | undefined> {
  const left = new Set(documents.keys())
  const listed = await persistently(async () => {
    const all: Topic[] = []
    for await (const topic of client.data('topic').iterate({ filter })) all.push(topic)
    return all
  })
  for (const topic of listed) {
    const copy = documents.get(topic.id)
    if (copy === undefined) return `topic ${topic.id} is missing`
    if (JSON.stringify(copy) !== JSON.stringify(topic)) return `topic ${topic.id} is ${JSON.stringify(copy)}, wanted ${JSON.stringify(topic)}`
    left.delete(topic.id)
  }
  const [extra] = left
  return extra === undefined ? undefined : `topic ${extra} is there, and not in the list`
}

async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      await waitAfter(error)
    }
  }
}

/** Waits a moment where the service was gone. Throws every other error again. */
async function waitAfter(error: unknown): Promise<void> {
  if (!(error instanceof DatelineError) || (error.status !== 0 && error.status < 500)) throw error
  await pause(POLL_MS)
}
