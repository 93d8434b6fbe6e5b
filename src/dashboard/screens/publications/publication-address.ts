/** Addresses of publications: a link and a button that copies it, and secret ones, which are shown once. */
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { copyButton } from '../../kit/copy-button.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, h } from '../../kit/dom.ts'
import { code, outsideLink } from '../../kit/elements.ts'
import { notifyFailure } from '../../kit/notices.ts'

/** Where the settings name no address of the site, that of this page is one. */
function wholeAddress(address: string): string {
  return new URL(address, location.href).href
}

/** An address that leads somewhere, or one of which a part is not known. */
export function addressLine(address: string, isWhole: boolean): HTMLElement {
  if (!isWhole) return h('span', { class: 'soft feed-address', dir: 'ltr' }, address)
  const href = wholeAddress(address)
  return h('span', { class: 'publication-address' }, outsideLink(href, address, { dir: 'ltr', class: 'feed-address' }), copyButton(() => href, { isSmall: true }))
}

/** Makes a new secret address of a publication, and shows it. */
export async function showNewSecret({ client, signal }: ScreenContext, id: string): Promise<void> {
  try {
    const { address } = await client.admin.makePublicationSecret(id, { signal })
    const href = wholeAddress(address)
    const { close } = openDialog({
      title: t('publications.secretReady'),
      dismissable: false,
      body: [h('p', {}, t('publications.once')), h('p', { class: 'secret' }, code(href), copyButton(() => href))],
      actions: [button(t('tokens.kept'), () => close(), { class: 'primary', autofocus: true })],
    })
  } catch (error) {
    notifyFailure(error)
  }
}
