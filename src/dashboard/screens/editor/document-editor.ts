/** The editor of one document: at `/headlines/ID`, and of a new one at `/headlines/new`, maybe with values of another. */
import { NotFound } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { draftsOf } from '../../any-documents.ts'
import { sentMembers } from './document-members.ts'
import { askForDrafts } from './drafts-from-lines.ts'
import { editorCrumb } from './editor-frame.ts'
import { openEditing, type Editing } from './editing.ts'
import type { StoredAny } from './store-document.ts'
import { modelTitle, newTitle } from '../../model-titles.ts'
import { may } from '../../permissions.ts'
import { onDocumentsChanged, removalSettled, removedLabel } from '../../changed-documents.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { fill, h } from '../../kit/dom.ts'
import { focusMain } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import { readInto } from '../../kit/read-into.ts'
import { emptyState } from '../../kit/states.ts'

/** Before a line of a numbered list. */
const NUMBER = /^(\d+)[.)]\s+(?=\S)/

export function documentEditor(model: Model, context: ScreenContext): Screen {
  const { client, user, screenUrl, signal } = context
  const documents = draftsOf(client, model)
  const id = screenUrl.segments[1] === 'new' ? undefined : screenUrl.segments[1]
  const title = id === undefined ? newTitle(model) : modelTitle(model)
  const body = h('div')
  const element = h('section', { class: 'editor', on: { keydown: leaveForm, paste: pasteLines } }, h('div', { class: 'editor-bar' }, editorCrumb(model)), h('h1', {}, title), body)
  let editing: Editing | undefined
  let isGone = false

  const { load } = readInto(context, {
    element: body,
    lines: 12,
    async read(options) {
      const from = id ?? screenUrl.query.get('from')
      if (from === null) return undefined
      await removalSettled(from)
      try {
        return await documents.get(from, options)
      } catch (error) {
        if (error instanceof NotFound) return 'gone'
        throw error
      }
    },
    show,
  })
  onDocumentsChanged(() => {
    if (isGone) load()
  }, signal)

  function show(found: StoredAny | 'gone' | undefined): HTMLElement | null {
    isGone = found === 'gone'
    // It may be brought back, and then it is here again.
    if (found === 'gone') {
      const label = removedLabel(id ?? '')
      const words = label === undefined ? t('failed.notFound') : t('removal.done', { label })
      const trash = h('a', { class: 'button', href: hrefTo(['trash'], { model: model.name }) }, icon('trash'), t('trash.title'))
      return emptyState('trash', words, may('remove', model, user) && trash)
    }
    const copied = found && sentMembers(model, found.document)
    editing = openEditing({ model, context, documents, ...(id === undefined ? { copied } : { stored: found }) })
    fill(element, editing.element)
    if (id === undefined && (document.activeElement?.matches('body, main') ?? true)) focusForm()
    return null
  }

  /** Escape leaves a field, so that the keys of one sign work again. */
  function leaveForm({ key, target, defaultPrevented, isComposing }: KeyboardEvent): void {
    const isField = target instanceof Element && target.closest('.form') !== null
    if (key === 'Escape' && isField && !defaultPrevented && !isComposing) focusMain()
  }

  /** A list that is pasted into the title of a new document can become a draft of each line. */
  function pasteLines(event: ClipboardEvent): void {
    const field = event.target
    const lines = linesOf(event.clipboardData?.getData('text/plain') ?? '')
    if (id !== undefined || editing === undefined || !(field instanceof HTMLTextAreaElement) || !/^(?:title|name)$/.test(field.name) || lines.length < 2) return
    event.preventDefault()
    const asOneLine = (): void => {
      field.setRangeText(lines.join(' ').replaceAll('\t', ' '), field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
      field.dispatchEvent(new Event('input', { bubbles: true }))
      field.focus()
    }
    const onMade = (): void => editing?.giveUp()
    askForDrafts({ model, member: field.name, lines, context, asOneLine, onMade })
  }

  function focusForm(): void {
    element.querySelector<HTMLElement>('.form :is(input, textarea, select)')?.focus({ preventScroll: true })
  }

  return {
    title,
    element,
    hasUnsaved: () => editing?.hasUnsaved() === true,
    mayLeave: async () => editing === undefined || editing.mayLeave(),
    save: () => editing?.save(),
    actions: () => editing?.actions() ?? [],
    keys: { e: focusForm, j: () => editing?.step('next'), k: () => editing?.step('previous') },
  }
}

/** What a list has in its lines, without its signs; numbers are signs where they count the lines. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/[\r\n]+/).map((line) => line.replace(/^\s*[-*–•‣◦]\s+/, '').trim()).filter((line) => line !== '')
  const isNumbered = lines.every((line, i) => NUMBER.exec(line)?.[1] === String(i + 1))
  return isNumbered ? lines.map((line) => line.replace(NUMBER, '')) : lines
}
