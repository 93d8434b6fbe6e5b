/**
 * Chooses a document of another model: a text to search with and a list of what the server finds (the combobox
 * pattern with a listbox, https://www.w3.org/WAI/ARIA/apg/patterns/combobox/).
 *
 * The value is the whole document, as it is embedded; one that is there already stays as it was stored until another
 * is chosen.
 */
import type { Client, Json } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { documentsOf, isMembers, labelOf, type StoredDocument } from '../../any-documents.ts'
import { modelTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { debouncedRequest } from '../../timing.ts'
import { h } from '../dom.ts'
import { hasFocus } from '../focus.ts'
import { icon } from '../icons.ts'
import { isAbort, errorText } from '../states.ts'
import { fieldAround, type Control, type ControlOptions } from './control.ts'
import { optionList, type Offer } from './option-list.ts'

const SHOWN_MAX = 12
const TYPING_MS = 150
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

export interface PickerParts {
  readonly client: Client
  /** Ends its requests, and those that wait for a pause in typing. */
  readonly signal: AbortSignal
  /** Makes a document with this name; undefined where the reader gave up. Without it, or for models that it offers nothing for, none can be made. */
  readonly create?: (model: Model, signal: AbortSignal) => ((name: string) => Promise<StoredDocument | undefined>) | undefined
}

export function pickerControl(model: Model, options: ControlOptions, parts: PickerParts): Control {
  const { path, label, onChange } = options
  let chosen: Json | undefined
  let touched = false

  const input = h('input', {
    class: 'picker-input',
    role: 'combobox',
    dir: 'auto',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    placeholder: t('picker.search'),
    on: { input: () => found.search(), focus: () => input.select(), click: () => found.open(), keydown: onKey, blur: leave },
  })
  const box = h('div', { class: 'picker' }, input, icon('down'))
  const { element, showProblem, focusProblem } = fieldAround(input, options, (name) => [name, box])
  const found = searchedList(model, input, { label, choose, ...parts })
  box.append(found.element)

  function choose(document: StoredDocument): void {
    chosen = document
    touched = true
    showChosen()
    found.close()
    onChange(path)
  }

  function onKey(event: KeyboardEvent): void {
    const step = STEPS[event.key]
    if (step !== undefined) found.move(step)
    else if (event.key === 'Enter' && found.isOpen()) found.take()
    else if (event.key === 'Escape' && (found.isOpen() || input.value !== labelOfChosen())) {
      event.stopPropagation()
      found.close()
      showChosen()
    } else return
    event.preventDefault()
  }

  /** Text that was typed but not chosen is no value: the input goes back to the label of the chosen document. */
  function leave(): void {
    found.close()
    touched = true
    showChosen()
  }

  /** The text is selected, so that further typing replaces it. */
  function showChosen(): void {
    input.value = labelOfChosen()
    if (hasFocus(input)) input.select()
  }

  function labelOfChosen(): string {
    return isMembers(chosen) ? labelOf(chosen) : ''
  }

  return {
    path,
    element,
    value: () => chosen,
    set(value) {
      chosen = value
      showChosen()
    },
    isTouched: () => touched,
    showProblem,
    focusProblem,
  }
}

interface SearchedListOptions extends PickerParts {
  readonly label: string
  readonly choose: (document: StoredDocument) => void
}

/** The options that the server finds for the text of the input. */
function searchedList(of: Model, input: HTMLInputElement, { label, choose, client, signal, create }: SearchedListOptions) {
  const make = create?.(of, signal)
  const list = optionList(input, label, choose)
  const isOpen = (): boolean => !list.element.hidden
  let foundFor = ''
  /** Whether the first document is to be chosen as soon as it is found. */
  let isWanted = false
  const search = debouncedRequest(TYPING_MS, signal, async (current, text: string) => {
    const typed = input.value
    list.show(true)
    try {
      const filter = text.trim() === '' ? {} : { q: text.trim() }
      const sort = of.search.includes('name') ? 'name:asc' : 'updatedAt:desc'
      const { items } = await documentsOf(client, of).list({ filter, sort, limit: SHOWN_MAX }, { signal: current })
      if (current.aborted) return
      foundFor = typed
      list.put(items, t('list.nothing'), offerFor(text.trim(), items))
      if (isWanted && items.length > 0) list.take()
      isWanted = false
    } catch (error) {
      if (!isAbort(error)) isWanted = false
      // What was found before is not in sight any more, and must not be chosen.
      if (!isAbort(error)) list.put([], errorText(error))
    }
  })

  /** Another document of this name is not offered beside one that has it. */
  function offerFor(name: string, items: readonly StoredDocument[]): Offer | undefined {
    const isThere = items.some((one) => labelOf(one).toLocaleLowerCase() === name.toLocaleLowerCase())
    if (make === undefined || name === '' || isThere) return undefined
    const model = modelTitle(of)
    return { label: t('picker.create', { model, lower: model.toLocaleLowerCase(), name }), run: () => void makeOne(name) }
  }

  async function makeOne(name: string): Promise<void> {
    list.show(false)
    const made = await make?.(name)
    if (signal.aborted) return
    input.focus()
    if (made !== undefined) choose(made)
  }

  function open(): void {
    if (!isOpen()) search.now('')
  }

  return {
    element: list.element,
    isOpen,
    open,
    search(): void {
      isWanted = false
      search(input.value)
    },
    close(): void {
      isWanted = false
      search.cancel()
      list.show(false)
    },
    move(step: number): void {
      isWanted = false
      if (isOpen()) list.move(step)
      else open()
    },
    /** Chooses the active document. Where the list is not yet that of the text, the first one that is found for the text is chosen. */
    take(): void {
      if (foundFor === input.value) return list.take()
      isWanted = true
      search.now(input.value)
    },
  }
}
