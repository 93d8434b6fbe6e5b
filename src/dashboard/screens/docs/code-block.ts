/** Code to copy, with a choice between languages where there are several. */
import { fill, h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { after } from '../../timing.ts'
import type { CodeExample } from './request-examples.ts'

const COPIED_MS = 1_600

/** One text with a button that copies it. */
export function codeBlock(code: string, label: string): HTMLElement {
  const text = h('code', {}, code)
  return h(
    'div',
    { class: 'code' },
    h('pre', { tabindex: '0', 'aria-label': label, role: 'group' }, text),
    copyButton(() => text),
  )
}

/** The same in several languages. All blocks of the page show the language that was chosen last. */
export function codeChoice(label: string): {
  readonly element: HTMLElement
  show(examples: readonly CodeExample[]): void
} {
  const choice = h('div', { class: 'code-choice', role: 'group', 'aria-label': label })
  const code = h('code', {})
  let shown: readonly CodeExample[] = []
  const update = (): void => {
    const example = shown.find((one) => one.label === language) ?? shown[0]
    fill(code, example?.code)
    for (const button of choice.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(button.textContent === example?.label))
    }
  }
  blocks.add(update)
  const element = h(
    'div',
    { class: 'code' },
    choice,
    h('pre', { tabindex: '0', 'aria-label': label, role: 'group' }, code),
    copyButton(() => code),
  )
  return {
    element,
    show(examples) {
      shown = examples
      const choose = (one: string) => (): void => {
        language = one
        for (const each of blocks) each()
      }
      fill(
        choice,
        examples.map((one) =>
          h('button', { type: 'button', class: 'small', on: { click: choose(one.label) } }, one.label),
        ),
      )
      update()
    },
  }
}

let language = 'curl'
const blocks = new Set<() => void>()

function copyButton(code: () => HTMLElement): HTMLElement {
  const said = h('span', { class: 'spoken', role: 'status' })
  const show = (name: 'copy' | 'check', words: string): void => {
    fill(button, icon(name))
    fill(said, words)
  }
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(code().textContent)
      show('check', 'Copied')
      after(COPIED_MS, () => show('copy', ''))
    } catch {
      // A browser lends its clipboard to pages of HTTPS and of this machine only: elsewhere it is two keys.
      getSelection()?.selectAllChildren(code())
      fill(said, 'Selected: press Ctrl or Cmd and C')
    }
  }
  const button = h('button', {
    type: 'button',
    class: 'plain small copy',
    'aria-label': 'Copy',
    title: 'Copy',
    on: { click: () => void copy() },
  })
  fill(button, icon('copy'))
  return h('span', { class: 'copy-place' }, button, said)
}
