/**
 * What the reader edits, in all tabs of the browser, and who else edits that. One tab has the stream of changes and says it there
 * for all of them; the others tell it what they have open, again and again, so that a tab that is gone is forgotten.
 */
import type { EditedBy } from '../client/client.ts'
import { newRequestKey } from './request-key.ts'
import { every, now } from './timing.ts'

const TELL_MS = 20_000
/** A tab in the background may be slow. */
const SILENT_MS = 3 * TELL_MS
/** As many as a stream may name. */
const EDITED_MAX = 8

/** Ids of users; empty where no other user edits it. */
type Listener = (people: readonly string[]) => void

/** What tabs tell each other: what one of them edits, a question for that, or what the stream has told. */
interface Message {
  readonly tab: string
  readonly edited?: readonly string[]
  readonly isAsking?: boolean
  readonly told?: readonly EditedBy[]
}

interface EditedOptions {
  /** The same in all tabs of the user. */
  readonly name: string
  /** Called when the documents of all tabs are others than before. */
  readonly onChange: () => void
  readonly signal: AbortSignal
}

export function editedDocuments({ name, onChange, signal }: EditedOptions) {
  const channel = new BroadcastChannel(`${name}.edited`)
  const tab = newRequestKey()
  const own = new Map<string, Listener>()
  const others = new Map<string, { readonly edited: readonly string[]; readonly at: number }>()
  let told: readonly EditedBy[] = []
  let [before, hasStream] = ['', false]

  channel.onmessage = ({ data }) => {
    const { tab: from, edited, isAsking = false, told: news } = data as Message
    if (edited !== undefined) {
      if (edited.length === 0) others.delete(from)
      else others.set(from, { edited, at: now() })
      changed()
      // It may have been opened after the stream has told this.
      if (hasStream && edited.length > 0) post({ told })
    }
    if (isAsking) tell()
    if (news !== undefined) take(news)
  }
  addEventListener('pagehide', () => post({ edited: [] }), { signal })
  every(TELL_MS, signal, () => {
    if (own.size > 0) tell()
    changed()
  })
  signal.addEventListener('abort', () => {
    post({ edited: [] })
    channel.close()
  })
  post({ isAsking: true })

  function post(message: Omit<Message, 'tab'>): void {
    channel.postMessage({ tab, ...message } satisfies Message)
  }

  function tell(): void {
    post({ edited: [...own.keys()] })
  }

  function all(): readonly string[] {
    for (const [from, { at }] of others) if (now() - at > SILENT_MS) others.delete(from)
    return [...new Set([...own.keys(), ...[...others.values()].flatMap(({ edited }) => edited)])].sort().slice(0, EDITED_MAX)
  }

  function changed(): void {
    const names = all().join()
    if (names === before) return
    before = names
    onChange()
  }

  function take(news: readonly EditedBy[]): void {
    told = news
    for (const [document, listener] of own) listener(peopleAt(document))
  }

  function peopleAt(document: string): readonly string[] {
    return told.find(({ model, id }) => `${model}:${id}` === document)?.people ?? []
  }

  return {
    all,
    /** What the stream of this tab has told. */
    told(news: readonly EditedBy[]): void {
      hasStream = true
      post({ told: news })
      take(news)
    },
    /** The reader has a document open until the function is called that comes back. */
    edit(document: string, listener: Listener): () => void {
      own.set(document, listener)
      tell()
      changed()
      listener(peopleAt(document))
      return () => {
        if (own.get(document) !== listener) return
        own.delete(document)
        tell()
        changed()
      }
    },
  }
}
