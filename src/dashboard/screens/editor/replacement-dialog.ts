/** Asks what becomes of the copies of a document that is deleted: they are kept, or another document takes its place. */
import { NotFound } from '../../../client/client.ts'
import type { DocumentUsage } from '../../../models/responses.ts'
import { modelNamed } from '../../../models/registry.ts'
import type { Model } from '../../../models/schema.ts'
import { isMembers, labelOf, type Documents, type StoredDocument } from '../../any-documents.ts'
import { modelTitle } from '../../model-titles.ts'
import { listText, t } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { h } from '../../kit/dom.ts'
import { openFormDialog } from '../../kit/form-dialog.ts'
import { pickerControl, type PickerParts } from '../../kit/form/picker.ts'
import { errorText, isAbort } from '../../kit/states.ts'
import { titleOf } from './usage-line.ts'

interface Replacing extends PickerParts {
  readonly model: Model
  readonly document: StoredDocument
}

interface ReplacementWords {
  readonly title: string
  readonly question: string
  readonly copies: string
  readonly keep: readonly [label: string, about: string]
  readonly replace: readonly [label: string, about: string]
}

interface Asking extends PickerParts {
  readonly model: Model
  /** None of them can take a place. */
  readonly deleted: readonly string[]
  readonly words: ReplacementWords
}

interface Decided {
  /** The id of the document that takes its place, if one does. */
  readonly replaceBy: string | undefined
}

/** Asks where anything but what readers have for themselves uses the document; undefined where nothing was decided. */
export async function decideReplacement({ documents, ...replacing }: Replacing & { readonly documents: Documents }): Promise<Decided | undefined> {
  const { model, document, ...parts } = replacing
  const title = t('usage.title', { label: labelOf(document) })
  // Of one that another user has deleted meanwhile, the deletion says so.
  const read = () =>
    documents.usage(document.id, { incomplete: true, signal: replacing.signal }).catch((error: unknown) => {
      if (error instanceof NotFound) return NOT_USED
      throw error
    })
  const usage = await readUsage(title, read, replacing.signal)
  if (usage === undefined) return undefined
  if (!usage.items.some((one) => one.total > 0 && modelNamed(one.model)?.owned !== true)) return { replaceBy: undefined }
  const words: ReplacementWords = {
    title,
    question: t('usage.question', { what: usedIn(usage.items) }),
    copies: t('usage.copies'),
    keep: [t('usage.keep'), t('usage.keepText')],
    replace: [t('usage.replace'), t('usage.replaceText')],
  }
  return askForReplacement({ ...parts, model, deleted: [document.id], words })
}

const NOT_USED: Pick<DocumentUsage, 'items'> = { items: [] }

/**
 * Reads where documents are used, and again as often as the reader wants where that fails: without it, nothing is asked about
 * their copies. Undefined where nothing is to be deleted.
 */
export async function readUsage<T>(title: string, read: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (signal.aborted || isAbort(error)) return undefined
      if (!(await ask({ title, text: t('usage.unknown', { reason: errorText(error) }), confirm: t('tryAgain') }))) return undefined
    }
  }
}

export function usedIn(items: DocumentUsage['items']): string {
  return listText(items.filter(({ total }) => total > 0).map(titleOf))
}

/** Asks what becomes of the copies of documents that are deleted; undefined where nothing was decided. */
export async function askForReplacement({ model, deleted, words, ...parts }: Asking): Promise<Decided | undefined> {
  let decided: Decided | undefined
  const name = modelTitle(model)
  const picker = pickerControl(model, { path: 'replaceBy', label: name, onChange: () => choose(true) }, parts)
  const radio = (replaces: boolean): HTMLInputElement =>
    h('input', { type: 'radio', name: 'replacing', checked: !replaces, autofocus: !replaces, on: { change: () => choose(replaces) } })
  const [keep, replace] = [radio(false), radio(true)]
  const place = h('div', { class: 'group', hidden: true }, picker.element)

  function choose(replaces: boolean): void {
    ;(replaces ? replace : keep).checked = true
    place.hidden = !replaces
    picker.showProblem('replaceBy', undefined)
  }

  function send(): void {
    const chosen = picker.value()
    const id = isMembers(chosen) ? String(chosen['id']) : undefined
    if (replace.checked && (id === undefined || deleted.includes(id))) {
      picker.showProblem('replaceBy', t('usage.choose', { model: name, lower: name.toLowerCase() }))
      picker.focusProblem()
      return
    }
    decided = { replaceBy: replace.checked ? id : undefined }
    dialog.close()
  }

  const choice = (input: HTMLElement, label: string, about: string): HTMLElement =>
    h('label', { class: 'side' }, h('span', { class: 'tick' }, input, h('strong', {}, label)), h('span', { class: 'soft' }, about))
  const fields = [
    h('p', {}, words.question),
    h('fieldset', { class: 'settle' }, h('legend', {}, words.copies), choice(keep, ...words.keep), choice(replace, ...words.replace)),
    place,
  ]
  const dialog = openFormDialog({ title: words.title, confirm: t('delete'), isDangerous: true, fields, send })
  await dialog.closed
  return decided
}
