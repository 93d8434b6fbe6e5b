/**
 * A sign-in code that an administrator makes for a person, to be read out or printed: where no mail arrives. It is six
 * digits, which are typed faster than a picture of them is scanned, and stand in no address that a browser remembers.
 */
import type { PersonCode } from '../../../models/responses.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { copyButton } from '../../kit/copy-button.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, h } from '../../kit/dom.ts'
import { dateTime } from '../../kit/moments.ts'
import { workButton } from '../../kit/work-button.ts'

export function personCode(userId: string, { client, signal }: Pick<ScreenContext, 'client' | 'signal'>): readonly HTMLElement[] {
  const make = workButton(t('users.makeCode'), async () => showCode(await client.admin.makeCode(userId, { signal })))
  return [h('p', { class: 'soft' }, t('users.codeAbout')), h('div', { class: 'buttons' }, make)]
}

function showCode({ email, code, expiresAt }: PersonCode): void {
  const { close } = openDialog({
    title: t('users.code'),
    dismissable: false,
    body: h(
      'div',
      { class: 'code-sheet' },
      h('p', {}, t('users.codeHow', { url: location.origin })),
      h('p', { class: 'soft' }, h('bdi', {}, email)),
      h('p', { class: 'code-digits', dir: 'ltr' }, code),
      h('p', { class: 'soft' }, t('users.until'), ' ', dateTime(expiresAt)),
    ),
    actions: [
      copyButton(() => code),
      button(t('users.printCode'), () => print()),
      button(t('close'), () => close(), { class: 'primary', autofocus: true }),
    ],
  })
}
