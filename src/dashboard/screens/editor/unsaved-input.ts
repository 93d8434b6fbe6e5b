/** Keeps what is typed in the browser every few seconds, and offers it when the editor is opened again. */
import type { Members } from '../../any-documents.ts'
import { inputKey, keepInputs, keptInputs } from '../../kept-input.ts'
import { t } from '../../texts.ts'
import { atMostEvery, now } from '../../timing.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { keepFocus } from '../../kit/focus.ts'
import { ago } from '../../kit/moments.ts'
import { differences, likelyChoice, merged } from './three-way.ts'

const KEEP_MS = 2_000

export interface UnsavedInputOptions {
  readonly userId: string
  readonly model: string
  readonly id: () => string | undefined
  readonly draft: { body(): Members | undefined; hasUnsaved(): boolean; fill(members: Members): void }
  readonly signal: AbortSignal
  /** After the reader has taken what was kept. */
  readonly onTaken: () => void
}

export function unsavedInput({ userId, model, id, draft, signal, onTaken }: UnsavedInputOptions) {
  const element = h('div', { class: 'live', role: 'status' })
  const keyOf = (): string => inputKey(userId, model, id())
  let base = draft.body() ?? {}
  /** What the reader has not decided about: it stays beside what is typed now. */
  let offers = keptInputs(keyOf())
  /** Whether there is more than was kept or given up. */
  let isTyped = false

  const keepNow = (): void => {
    const members = draft.body()
    if (members === undefined) return
    isTyped = false
    keepInputs(keyOf(), [...(draft.hasUnsaved() ? [{ at: now(), members, base }] : []), ...offers])
  }
  const decided = (): void => {
    offers = offers.slice(1)
    keepFocus(element, show)
  }
  const take = (): void => {
    const [found] = offers
    const current = draft.body()
    if (found === undefined || current === undefined) return
    // What others have changed since then stays theirs.
    draft.fill(merged(found.members, differences(found.base, found.members, current), likelyChoice))
    decided()
    onTaken()
  }
  const drop = (): void => {
    decided()
    keepNow()
  }
  /** After it was saved, or given up. `of` is the id that it had: a new document has another now. */
  const settled = (of: string | undefined): void => {
    isTyped = false
    keepInputs(inputKey(userId, model, of), offers)
    base = draft.body() ?? base
    if (of === id()) return
    offers = []
    keepFocus(element, show)
  }

  function show(): void {
    const [found] = offers
    if (found === undefined) return void fill(element)
    const words = h('span', {}, t('editor.kept'), ' · ', ago(new Date(found.at).toISOString()))
    const buttons = [button(t('editor.takeKept'), take, { class: 'small' }), button(t('editor.dropKept'), drop, { class: 'small' })]
    fill(element, h('div', { class: 'banner' }, words, buttons))
  }

  const keepSoon = atMostEvery(KEEP_MS, signal, () => {
    if (isTyped) keepNow()
  })
  show()
  return {
    element,
    changed(): void {
      isTyped = true
      keepSoon()
    },
    settled,
  }
}
