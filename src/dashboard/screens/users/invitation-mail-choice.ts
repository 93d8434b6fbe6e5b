/** Whether a new user is invited by mail, and in which language: offered where the service sends mail and has an address for it. */
import { t, type LanguageCode } from '../../texts.ts'
import { hrefTo } from '../../screen-url.ts'
import type { ScreenContext } from '../../screen.ts'
import { fill, h } from '../../kit/dom.ts'
import { labelled } from '../../kit/elements.ts'
import { languageSelect } from '../../kit/language-choice.ts'

/** Whether the service sends mail: without, it prints codes in its log, and an invitation would reach only that. */
export async function sendsMail(client: ScreenContext['client'], signal: AbortSignal): Promise<boolean> {
  return (await client.dashboard.setup({ signal })).codesBy === 'mail'
}

/** Why there is no invitation, leading to the settings that change it. */
export function noInvitation(hasMail: boolean): HTMLElement {
  return h('a', { href: hrefTo(['operations'], { part: 'settings', group: hasMail ? 'names' : 'mail' }) }, t(hasMail ? 'users.inviteNoUrl' : 'users.inviteNoMail'))
}

/** `hasDashboard` tells whether the chosen roles have something that a mail could lead to; `update` looks at it again. */
export function invitationMail({ client, signal }: Pick<ScreenContext, 'client' | 'signal'>, hasDashboard: () => boolean) {
  const element = h('div', { class: 'form' })
  const sends = h('input', { type: 'checkbox', checked: true, on: { change: update } })
  const language = languageSelect({ name: 'language' })
  const languageField = labelled(t('users.inviteLanguage'), language)
  const about = h('p', { class: 'field-about' }, t('users.inviteAbout'))
  let isOffered: boolean | undefined
  let getsCode = true
  const isWanted = (): boolean => isOffered === true && sends.checked && hasDashboard()

  function update(): void {
    element.hidden = isOffered === undefined || (getsCode && !hasDashboard())
    about.hidden = !getsCode
    languageField.hidden = !sends.checked
  }

  async function read(): Promise<void> {
    const [{ items }, hasMail] = await Promise.all([client.admin.settings({ signal }), sendsMail(client, signal)])
    getsCode = hasMail
    isOffered = hasMail && items.some(({ name, value }) => name === 'invitationUrl' && value !== 'none')
    const tick = h('label', { class: 'tick' }, sends, h('span', {}, t('users.inviteMail')))
    fill(element, isOffered ? [tick, languageField] : h('p', { class: 'field-about' }, noInvitation(hasMail)))
    update()
  }
  update()
  // Without an answer the service decides by its settings.
  void read().catch(() => undefined)
  return {
    element,
    about,
    update,
    isWanted,
    wanted: () => {
      if (isOffered === undefined) return {}
      return isWanted() ? ({ invitation: 'mail', language: language.value as LanguageCode } as const) : ({ invitation: 'none' } as const)
    },
  }
}
