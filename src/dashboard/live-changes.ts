/**
 * What changes while the page is open, for the screens that show it.
 *
 * One tab of a browser holds the stream and tells the others: the service allows few for each user. A lock of the browser
 * decides which (Web Locks), and passes to another tab when that one is closed; where a page has no locks, each tab has a
 * stream of its own. Changes come to the screens a few times a second at most.
 */
import { changes, createClient, Forbidden, NotFound, readChanges, type Client, type Filter } from '../client/client.ts'
import type { ModelName } from '../client/client-types.ts'
import { isAdmin } from '../models/caller.ts'
import type { User } from '../models/user.ts'
import type { StoredDocument } from './any-documents.ts'
import { contentModels } from './permissions.ts'
import { apiUrl, nameHere } from './api-url.ts'
import { editedDocuments } from './edited-documents.ts'
import { after, debounce, pause } from './timing.ts'

const TOGETHER_MS = 250
/** After a failure that another try does not mend, such as the end of the session: the reader signs in again meanwhile. */
const PAUSE_MS = 30_000

/** Of users alone: content has no such member. Apps make many guests. */
const NO_GUESTS: Filter = { appRole: { $ne: 'guestUser' } }

/** A document as it is now; without one it was deleted. */
export interface Change {
  readonly model: string
  readonly id: string
  /** A user's id, or `operator` and the like; undefined where the account is gone. */
  readonly by?: string
  readonly document?: StoredDocument
}

interface Follower {
  /** What changed since it was told last, each document once. */
  changed(changes: readonly Change[]): void
  /** Some changes were not told: what is shown may be old. */
  missed(): void
}

export interface LiveOptions {
  readonly token: () => string | undefined
  readonly user: User
  /** Called after the stream was interrupted and is there again: the service may have been restarted, as another version. */
  readonly onInterrupted: () => void
  readonly signal: AbortSignal
}

export type Live = ReturnType<typeof createLive>

/** What one tab tells the others: a change, an interruption, or that changes are missing; and where another tab would go on. */
interface Message {
  readonly next: string
  readonly isInterruption?: boolean
  readonly change?: Change
}

/** Follows all content that the user may see, and for administrators users without guests, until the signal. */
export function createLive({ token, user, onInterrupted, signal }: LiveOptions) {
  const followers = new Set<Follower>()
  const name = `${nameHere('dateline.changes')}.${user.id}`
  const channel = new BroadcastChannel(name)
  let pending = new Map<string, Change>()
  let next: string | undefined
  /** Whether this tab or another had a stream before. */
  let hadStream = false
  let stop = (): void => {}

  function take({ next: behind, change, isInterruption = false }: Message): void {
    next = behind
    if (isInterruption) return onInterrupted()
    if (change === undefined) return followers.forEach((follower) => follower.missed())
    if (pending.size === 0) stop = after(TOGETHER_MS, tell)
    pending.set(`${change.model} ${change.id}`, change)
  }

  function tell(): void {
    const together = [...pending.values()]
    pending = new Map()
    for (const follower of followers) follower.changed(together)
  }

  function post(message: Message): void {
    channel.postMessage(message)
    take(message)
  }

  /** The stream says what is edited at its beginning, so it begins again where it was. */
  let beginAgain = new AbortController()
  let isPlanned = false
  const edited = editedDocuments({ name, onChange: debounce(TOGETHER_MS, () => beginAgain.abort()), signal })
  const users: readonly ModelName[] = isAdmin(user) ? ['user'] : []
  const followed = { models: [...contentModels(user).map((model) => model.name as ModelName), ...users], filter: NO_GUESTS, incomplete: true }

  async function readStream(): Promise<void> {
    while (!signal.aborted) {
      beginAgain = new AbortController()
      const turn = beginAgain.signal
      // A client of its own: that a session has ended is told to readers when they do something.
      const client = createClient({ url: apiUrl(), token: token(), fetch: fetchOnline })
      const streams: Pick<Client, 'open'> = {
        async open(path, options) {
          const response = await client.open(path, options)
          if (hadStream && next !== undefined && !isPlanned) post({ next, isInterruption: true })
          hadStream = true
          isPlanned = false
          return response
        },
      }
      try {
        // What a screen has read before this place may be old.
        if (next === undefined) post({ next: (await readChanges(client, { ...followed, since: 'now' }, { signal })).next })
        const query = { ...followed, since: next, editing: edited.all(), onPresence: edited.told }
        for await (const event of changes(streams, query, { signal: AbortSignal.any([signal, turn]) })) {
          post(event.kind === 'change' ? { next: event.next, change: event.change as unknown as Change } : { next: event.next })
        }
      } catch (error) {
        isPlanned = turn.aborted && !signal.aborted
        if (isPlanned) continue
        if (signal.aborted || error instanceof Forbidden || error instanceof NotFound) return
        // Until there is a stream again, nothing is known of others.
        edited.told([])
      }
      await pause(PAUSE_MS, signal)
    }
  }

  channel.onmessage = ({ data }) => {
    hadStream = true
    take(data as Message)
  }
  signal.addEventListener('abort', () => {
    stop()
    channel.close()
  })
  const { locks } = navigator as { readonly locks?: LockManager }
  void (locks === undefined ? readStream() : locks.request(name, { signal }, readStream).catch(() => {}))

  return {
    /** Tells others that the reader has a document open, such as `headline:ID`, until the function is called that comes back. */
    edit: edited.edit,
    follow,
    /** Runs when documents have changed, or may have: those of all models, or those of the changes that `isWatched` picks. */
    watch(run: () => void, ended: AbortSignal, isWatched: (change: Change) => boolean = () => true): void {
      follow({ changed: (changes) => void (changes.some(isWatched) && run()), missed: run }, ended)
    },
  }

  /** Until the signal. */
  function follow(follower: Follower, ended: AbortSignal): void {
    followers.add(follower)
    ended.addEventListener('abort', () => followers.delete(follower))
  }
}

/** A device without a network asks for nothing until it has one. */
async function fetchOnline(url: string, init: RequestInit): Promise<Response> {
  if (!navigator.onLine) await new Promise((resolve) => addEventListener('online', resolve, { once: true }))
  return fetch(url, init)
}
