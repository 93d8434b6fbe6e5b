/** The button that saves a document that a screen edits: of use once something was changed, and again where saving failed. */
import { PreconditionFailed } from '../../client/client.ts'
import type { Documents, Members, StoredDocument } from '../any-documents.ts'
import { t } from '../texts.ts'
import { button } from './dom.ts'
import { whileBusy } from './focus.ts'
import { icon } from './icons.ts'
import { notify } from './notices.ts'

export interface SaveButtonOptions {
  readonly documents: Documents
  /** Undefined for a new document, which can be saved before anything was changed. */
  readonly id: string | undefined
  /** Of the version that is edited; undefined where there is none yet. */
  readonly etag: string | undefined
  readonly body: () => Members
  /** Says what has to be filled in first; true where nothing has. */
  readonly isComplete?: () => boolean
  readonly onStored?: (stored: StoredDocument) => void
  /** Tells of a failure. That another person has changed it meanwhile is told here. */
  readonly tell: (error: unknown) => void
  readonly signal: AbortSignal
}

export type SaveButton = ReturnType<typeof saveButton>

export function saveButton({ documents, id, etag: first, body, isComplete = () => true, onStored, tell, signal }: SaveButtonOptions) {
  const isNew = id === undefined
  let etag = first
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
      const found = await (isNew ? documents.create(body(), { signal }) : documents.replace(id, body(), { signal, ifMatch: etag }))
      stored = sent
      etag = found.etag
      notify(t('saved'), { kind: 'done' })
      onStored?.(found.document)
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
