/** Puts a text on the clipboard and says so. Pages that are not served over TLS may have none (W3C Clipboard API). */
import { t } from '../texts.ts'
import { h } from './dom.ts'
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
  return h(
    'button',
    {
      type: 'button',
      class: isSmall ? 'plain small' : undefined,
      'aria-label': isSmall ? t('copy') : undefined,
      on: { click: () => void copy() },
    },
    icon('copy'),
    isSmall ? null : t('copy'),
  )
}
