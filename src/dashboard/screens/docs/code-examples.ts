/** Makes the examples of the page work: the URL of this service, languages, variants, and copying. */
import { apiUrl } from '../../api-url.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { after } from '../../timing.ts'
import { docsText, inOwnLanguage } from './docs-texts.ts'

const COPIED_MS = 1_600

export function setUpExamples(): void {
  const shown = apiUrl().replaceAll("'", '%27')
  for (const element of document.querySelectorAll('[data-service]')) element.textContent = shown
  for (const code of document.querySelectorAll('.code')) code.append(copyButton(code))
  document.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('.code-choice > button')
    if (button !== null) show(document, button.textContent)
  })
  for (const shown of document.querySelectorAll('.shown')) {
    shown.querySelector('select')?.addEventListener('change', () => show(shown, chosenLanguage))
  }
}

let chosenLanguage = 'curl'

/** All examples show the language that was chosen last, where they have it. */
function show(root: ParentNode, language: string): void {
  chosenLanguage = language
  for (const code of root.querySelectorAll('.shown > .code')) {
    const variant = code.closest('.shown')?.querySelector('select')?.value ?? ''
    const has = code.querySelector(`[data-language="${CSS.escape(language)}"]`) !== null
    const own = has ? language : 'curl'
    for (const text of code.querySelectorAll('pre')) {
      text.hidden = text.dataset['variant'] !== variant || (text.dataset['language'] ?? own) !== own
    }
    for (const button of code.querySelectorAll('.code-choice > button')) {
      button.setAttribute('aria-pressed', String(button.textContent === own))
    }
  }
}

function copyButton(code: Element): HTMLElement {
  const status = h('span', { class: 'spoken', role: 'status' })
  const attributes = { class: 'plain small', 'aria-label': 'Copy', title: 'Copy', 'data-label': 'docs.copy' }
  const copier = button(icon('copy'), () => void copy(), attributes)
  const report = (name: 'copy' | 'check', text: string): void => {
    fill(copier, icon(name))
    fill(inOwnLanguage(status), text)
  }
  const copy = async (): Promise<void> => {
    const text = code.querySelector('pre:not([hidden]) > code') ?? code
    try {
      await navigator.clipboard.writeText(text.textContent)
      report('check', docsText('docs.copied'))
      after(COPIED_MS, () => report('copy', ''))
    } catch {
      // Browsers give the clipboard to pages of HTTPS and localhost only.
      getSelection()?.selectAllChildren(text)
      report('copy', docsText('docs.selected'))
    }
  }
  return h('span', { class: 'copy' }, copier, status)
}
