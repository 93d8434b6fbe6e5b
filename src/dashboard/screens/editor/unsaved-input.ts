/** Keeps what is typed in the browser when the reader pauses, and offers it when the editor is opened again. */
import type { Members } from '../../any-documents.ts'
import { forgetInput, inputKey, keepInput, keptInput } from '../../kept-input.ts'
import { t } from '../../texts.ts'
import { debounce } from '../../timing.ts'
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

export type UnsavedInput = ReturnType<typeof unsavedInput>

export function unsavedInput({ userId, model, id, draft, signal, onTaken }: UnsavedInputOptions) {
  const element = h('div', { class: 'live', role: 'status' })
  const keyOf = (): string => inputKey(userId, model, id())
  let base = draft.body() ?? {}
  const found = keptInput(keyOf())
  let isOffered = found !== undefined

  const keepNow = (): void => {
    const members = draft.body()
    if (isOffered || members === undefined || signal.aborted) return
    if (draft.hasUnsaved()) keepInput(keyOf(), { members, base })
    else forgetInput(keyOf())
  }
  const hide = (): void => {
    isOffered = false
    keepFocus(element, () => fill(element))
  }
  const take = (): void => {
    const current = draft.body()
    if (found === undefined || current === undefined) return
    // What others have changed since then stays theirs.
    draft.fill(merged(found.members, differences(found.base, found.members, current), likelyChoice))
    hide()
    onTaken()
  }
  /** After it was saved, or given up. `of` is the id that it had. */
  const settled = (of: string | undefined): void => {
    forgetInput(inputKey(userId, model, of))
    base = draft.body() ?? base
    hide()
  }
  if (found !== undefined) {
    const words = h('span', {}, t('editor.kept'), ' · ', ago(new Date(found.at).toISOString()))
    const buttons = [button(t('editor.takeKept'), take, { class: 'small' }), button(t('editor.dropKept'), () => settled(id()), { class: 'small' })]
    fill(element, h('div', { class: 'banner' }, words, buttons))
  }
  return {
    element,
    changed: debounce(KEEP_MS, keepNow),
    settled,
  }
}
