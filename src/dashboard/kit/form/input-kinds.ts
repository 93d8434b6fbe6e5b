/** The inputs for single values: what they look like, and how their text becomes a value and a value their text. */
import type { Json } from '../../../client/client.ts'
import { parseExactly } from '../../exact-json.ts'
import { valueTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { fill, h, setAttributes, webUrl } from '../dom.ts'
import { choiceAmong, outsideLink } from '../elements.ts'
import { icon } from '../icons.ts'
import { localMinute } from '../moments.ts'
import type { InputKind } from './control.ts'

/** Names of texts that have more than a line. */
const LONG = /excerpt|description|text|body|summary/i
const URL_NAME = /url$/i

export function textInput(name: string, isNullable: boolean): InputKind<HTMLInputElement | HTMLTextAreaElement> {
  const isUrl = URL_NAME.test(name)
  const input = LONG.test(name)
    ? h('textarea', { rows: 4, dir: 'auto' })
    : h(
        'input',
        isUrl ? { inputmode: 'url', dir: 'ltr', spellcheck: 'false', autocomplete: 'off' } : { dir: 'auto' },
      )
  return {
    input,
    read({ value }) {
      // An address is often copied with the space beside it.
      const text = isUrl ? value.trim() : value
      return isNullable && text === '' ? null : text
    },
    write: (at, value) => (at.value = typeof value === 'string' ? value : ''),
    ...(isUrl ? { extra: urlLink() } : {}),
  }
}

/**
 * A text area as tall as its text: writing, not filling in. Its name stands in it while it is empty; `lines` is how many it has at
 * least. Of one line, Enter goes on to the next field, and line breaks that are pasted become spaces.
 */
export function growingText(label: string, lines: 1 | 2): InputKind<HTMLTextAreaElement> {
  const isOneLine = lines === 1
  const input = h('textarea', { class: 'growing', dir: 'auto', rows: lines, placeholder: label })
  if (isOneLine) setAttributes(input, { on: { keydown: goOn, input: () => joinLines(input) } })
  return {
    input,
    read: ({ value }) => value,
    write: (at, value) => (at.value = typeof value === 'string' ? value : ''),
  }
}

function goOn(event: KeyboardEvent): void {
  const { key, isComposing, target } = event
  if (key !== 'Enter' || isComposing || event.ctrlKey || event.metaKey || !(target instanceof Element)) return
  event.preventDefault()
  target.closest('.field')?.nextElementSibling?.querySelector<HTMLElement>('input, textarea, select')?.focus()
}

/** What is pasted may have more than one line. */
function joinLines(input: HTMLTextAreaElement): void {
  if (input.value.includes('\n')) input.value = input.value.replace(/\s*\n\s*$/, '').replaceAll(/\s*\n\s*/g, ' ')
}

/** A moment in the reader's zone. Empty takes the date away. */
export function dateInput(): InputKind<HTMLInputElement> {
  return {
    input: h('input', { type: 'datetime-local' }),
    // A browser tells nothing of a date that is not whole. That is not the same as nothing: the server rejects it.
    read({ value, validity }) {
      if (value === '') return validity.badInput ? '' : null
      return new Date(value).toISOString()
    },
    write: (at, value) => (at.value = typeof value === 'string' ? localMinute(new Date(value)) : ''),
  }
}

export function wholeInput(isNullable: boolean): InputKind<HTMLInputElement> {
  return {
    input: h('input', { type: 'number', min: 0, step: 1, inputmode: 'numeric', class: 'number' }),
    // A browser tells nothing of a text that is no number. That is not the same as nothing: the server rejects it.
    read: ({ value, validity }) => (value !== '' ? Number(value) : isNullable && !validity.badInput ? null : ''),
    write: (at, value) => (at.value = typeof value === 'number' ? String(value) : ''),
  }
}

export function booleanInput(): InputKind<HTMLInputElement> {
  return {
    input: h('input', { type: 'checkbox' }),
    read: ({ checked }) => checked,
    write: (at, value) => (at.checked = value === true),
    isTick: true,
  }
}

export function choiceInput(values: readonly string[], isNullable: boolean): InputKind<HTMLSelectElement> {
  const titleOf = (value: string): string => (value === '' ? t('form.none') : valueTitle(value))
  return {
    input: choiceAmong([...(isNullable ? [''] : []), ...values], titleOf),
    read: ({ value }) => (isNullable && value === '' ? null : value),
    // A value that the declaration does not know any more stays until another one is chosen.
    write(at, value) {
      const text = typeof value === 'string' ? value : ''
      if (text !== '' && !values.includes(text)) at.append(h('option', { value: text }, valueTitle(text)))
      at.value = text === '' && !isNullable ? (values[0] ?? '') : text
    },
  }
}

/** Any value as JSON. What is no JSON goes out as the text that it is, and is rejected where it is read. */
export function jsonInput(rows = 6): InputKind<HTMLTextAreaElement> {
  return {
    input: h('textarea', { rows, class: 'mono', dir: 'ltr', spellcheck: 'false' }),
    read: ({ value }) => (value.trim() === '' ? undefined : parsed(value)),
    write: (at, value) => (at.value = value === undefined ? '' : JSON.stringify(value, null, 2)),
  }
}

function parsed(text: string): Json {
  try {
    return parseExactly(text) as Json
  } catch {
    return text
  }
}

/** Opens the URL where it is one of the web; anything else is never a link. */
function urlLink(): { element: HTMLElement; update(value: Json | undefined): void } {
  const element = h('p', { class: 'field-about' })
  return {
    element,
    update(value) {
      const href = typeof value === 'string' ? webUrl(value) : undefined
      fill(element, href !== undefined && outsideLink(href, [t('form.openUrl'), icon('external')]))
    },
  }
}
