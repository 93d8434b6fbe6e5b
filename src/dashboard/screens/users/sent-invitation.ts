/** What became of the mail that invited a user, and sending another. */
import type { RequestOptions } from '../../../client/client.ts'
import type { User } from '../../../models/user.ts'
import type { Invitation } from '../../../models/responses.ts'
import type { ScreenContext } from '../../screen.ts'
import { t, type LanguageCode } from '../../texts.ts'
import { after } from '../../timing.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { labelled } from '../../kit/elements.ts'
import { languageSelect } from '../../kit/language-choice.ts'
import { ago } from '../../kit/moments.ts'
import { notify } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { workButton } from '../../kit/work-button.ts'
import { noInvitation, sendsMail } from './invitation-mail-choice.ts'
import { messageTag } from '../operations/message-tag.ts'

interface Found extends Invitation {
  readonly hasMail: boolean
}

/** Most mails are accepted soon; those that wait for their server are not looked at for ever. */
const SENDING_MS = 1_500
const LOOKS_MAX = 5

export function sentInvitation({ id }: Pick<User, 'id'>, { client, signal }: Pick<ScreenContext, 'client' | 'signal'>): HTMLElement {
  const last = h('div', {})
  const language = languageSelect({ name: 'language' })
  const send = workButton('', () => invite(language.value as LanguageCode).finally(() => load()))
  // Apart from what is read again: a language that is chosen meanwhile stays.
  const again = h('div', { class: 'invitation-again', hidden: true }, labelled(t('users.inviteLanguage'), language), send)
  let looks = 0
  const { load, refresh } = readInto({ signal }, { element: last, lines: 2, read, show })
  return h('div', {}, last, again)

  async function read(options: RequestOptions): Promise<Found> {
    const [invitation, hasMail] = await Promise.all([client.admin.invitation(id, options), sendsMail(client, options.signal ?? signal)])
    return { ...invitation, hasMail }
  }

  function show({ canBeSent, mail, hasMail }: Found): Child {
    const isOpen = mail?.state === 'sending' || mail?.state === 'waiting'
    if (isOpen && looks++ < LOOKS_MAX) after(SENDING_MS, refresh)
    again.hidden = !canBeSent
    fill(send, t(mail === null ? 'users.inviteFirst' : 'users.inviteAgain'))
    return [
      mail === null ? h('p', { class: 'soft' }, t('users.neverInvited')) : lastMail(mail),
      !canBeSent && h('p', {}, noInvitation(hasMail)),
    ]
  }

  async function invite(language: LanguageCode): Promise<void> {
    await client.admin.inviteAgain(id, { language, signal })
    looks = 0
    notify(t('users.invitedAgain'), { kind: 'done' })
  }
}

function lastMail({ state, createdAt, reply }: NonNullable<Invitation['mail']>): Child {
  return [
    h('p', {}, messageTag(state), ' ', ago(createdAt)),
    reply !== null && state !== 'delivered' && h('p', { class: 'soft' }, t('outbox.reply'), ' ', h('bdi', {}, reply)),
  ]
}
