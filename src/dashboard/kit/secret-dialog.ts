/** Shows a secret once: a token, or an address that opens a feed. The service keeps no copy that can be read. */
import { t } from '../texts.ts'
import { copyButton } from './copy-button.ts'
import { openDialog } from './dialog.ts'
import { button, h, type Child } from './dom.ts'
import { code } from './elements.ts'

/** Stays until the reader says that it is kept. */
export function showSecret(title: string, about: string, secret: string, ...more: readonly Child[]): void {
  const { close } = openDialog({
    title,
    dismissable: false,
    body: [h('p', {}, about), h('p', { class: 'secret' }, code(secret), copyButton(() => secret)), more],
    actions: [button(t('tokens.kept'), () => close(), { class: 'primary', autofocus: true })],
  })
}
