/** Puts a text on the clipboard and says so. Pages that are not served over TLS may have none (W3C Clipboard API). */
import { t } from '../texts.ts'
import { button } from './dom.ts'
import { icon } from './icons.ts'
import { notify } from './notices.ts'

export function copyButton(text: () => string, { isSmall = false } = {}): HTMLButtonElement {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text())
      notify(t('copy.done'), { kind: 'done' })
    } catch {
      notify(t('copy.failed'), { kind: 'failed' })
    }
  }
  const small = { class: 'plain small', 'aria-label': t('copy') }
  return button([icon('copy'), !isSmall && t('copy')], () => void copy(), isSmall ? small : {})
}
