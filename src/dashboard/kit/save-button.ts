/** The button that saves what is edited on a screen: of use once something was changed, and again where saving failed. */
import { PreconditionFailed } from '../../client/client.ts'
import { t } from '../texts.ts'
import { button } from './dom.ts'
import { whileBusy } from './focus.ts'
import { icon } from './icons.ts'
import { notify } from './notices.ts'

export interface SaveButtonOptions<S> {
  /** Whether it is of use before anything was changed. */
  readonly isNew?: boolean
  /** Says what has to be filled in first; true where nothing has. */
  readonly isComplete?: () => boolean
  /** Throws where it fails. */
  readonly store: () => Promise<S>
  readonly onStored: (stored: S) => void
  /** Tells of a failure. That another person has changed it meanwhile is told here. */
  readonly tell: (error: unknown) => void
}

export type SaveButton = ReturnType<typeof saveButton>

export function saveButton<S>({ isNew = false, isComplete = () => true, store, onStored, tell }: SaveButtonOptions<S>) {
  /** How many changes there were, and how many of them are stored: what is typed while it is sent is not. */
  let [changes, stored] = [0, 0]
  let isSaving = false
  const element = button([icon('check'), t('save')], save, { class: 'primary', disabled: !isNew })
  const hasUnsaved = (): boolean => changes > stored

  function update(): void {
    element.disabled = isSaving || !(isNew || hasUnsaved())
  }

  function save(): void {
    if (element.disabled || !isComplete()) return
    isSaving = true
    void whileBusy(element, send).finally(() => {
      isSaving = false
      update()
    })
  }

  async function send(): Promise<void> {
    const sent = changes
    try {
      const found = await store()
      stored = sent
      onStored(found)
    } catch (error) {
      if (error instanceof PreconditionFailed) notify(t('feeds.changedElsewhere'), { kind: 'failed' })
      else tell(error)
    }
  }

  return {
    element,
    save,
    hasUnsaved,
    /** After each change of the reader's. */
    changed(): void {
      changes++
      update()
    },
    /** What was changed is not to be kept. */
    giveUp(): void {
      stored = changes
    },
  }
}
