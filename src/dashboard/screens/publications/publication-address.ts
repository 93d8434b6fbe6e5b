/** Addresses of publications: a link and a button that copies it, and secret ones, which are shown once. */
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { copyButton } from '../../kit/copy-button.ts'
import { h } from '../../kit/dom.ts'
import { outsideLink } from '../../kit/elements.ts'
import { showSecret } from '../../kit/secret-dialog.ts'

/** Where the settings name no address of the site, that of this page is one. */
function wholeAddress(address: string): string {
  return new URL(address, location.href).href
}

/** An address that leads somewhere, or one of which a part is not known. */
export function addressLine(address: string, isWhole: boolean): HTMLElement {
  if (!isWhole) return h('span', { class: 'soft feed-address', dir: 'ltr' }, address)
  const href = wholeAddress(address)
  return h('span', { class: 'with-copy' }, outsideLink(href, address, { dir: 'ltr', class: 'feed-address' }), copyButton(() => href, { isSmall: true }))
}

/** Makes a new secret address of a publication, and shows it. Throws what the service says. */
export async function showNewSecret({ client }: Pick<ScreenContext, 'client'>, id: string): Promise<void> {
  const { address } = await client.admin.makePublicationSecret(id)
  showSecret(t('publications.secretReady'), t('publications.once'), wholeAddress(address))
}
