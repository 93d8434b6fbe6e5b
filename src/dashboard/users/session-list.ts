/** Where a user is signed in, and a way to end it there. */
import type { UserSessions } from '../../models/replies.ts'
import type { ScreenContext } from '../screen.ts'
import { t } from '../texts/texts.ts'
import { ask } from '../view/dialog.ts'
import { fill, h } from '../view/dom.ts'
import { dateTime } from '../view/moments.ts'
import { notify } from '../view/notices.ts'
import { failureState, isAbort, skeleton, wordsOf } from '../view/states.ts'

type SessionItem = UserSessions['items'][number]

export function sessionList(userId: string, { client, signal, restart }: ScreenContext): HTMLElement {
  const body = h('div', { class: 'sessions', role: 'group', 'aria-label': t('users.sessions'), tabindex: -1 })

  async function load(): Promise<void> {
    try {
      show((await client.admin.sessions(userId, { signal })).items)
    } catch (error) {
      if (!isAbort(error)) fill(body, failureState(error, reload))
    }
  }

  function reload(): void {
    fill(body, skeleton(3))
    void load()
  }

  function show(sessions: readonly SessionItem[]): void {
    const all = h('button', { type: 'button', on: { click: () => void endAll(sessions) } }, t('users.endAll'))
    fill(
      body,
      sessions.length === 0 ? h('p', { class: 'soft' }, t('users.noSessions')) : h('ul', {}, sessions.map(item)),
      sessions.length > 1 && h('div', { class: 'buttons' }, all),
    )
  }

  function item(session: SessionItem): HTMLElement {
    const { label, createdAt, expiresAt, current } = session
    const name = label === '' ? t('users.unknownDevice') : label
    return h(
      'li',
      {},
      h(
        'div',
        {},
        h('p', {}, h('bdi', {}, name), current && [' ', h('span', { class: 'tag good' }, t('users.thisOne'))]),
        h(
          'p',
          { class: 'soft' },
          t('users.since'),
          ' ',
          dateTime(createdAt),
          ' · ',
          t('users.until'),
          ' ',
          dateTime(expiresAt),
        ),
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'small',
          'aria-label': t('users.endOne', { label: name }),
          on: { click: () => void endOne(session) },
        },
        t('users.end'),
      ),
    )
  }

  async function endOne({ id, current }: SessionItem): Promise<void> {
    if (current && !(await confirmOwn())) return
    await act(async () => {
      await client.admin.endSession(userId, id, { signal })
      return current
    }, 1)
  }

  async function endAll(sessions: readonly SessionItem[]): Promise<void> {
    const isOwn = sessions.some(({ current }) => current)
    if (isOwn && !(await confirmOwn())) return
    await act(async () => {
      await client.admin.endSessions(userId, { signal })
      return isOwn
    }, sessions.length)
  }

  function confirmOwn(): Promise<boolean> {
    return ask({ title: t('shell.signOut'), text: t('users.endOwn'), confirm: t('shell.signOut'), isDangerous: true })
  }

  /** `work` tells whether the own session has ended with it. */
  async function act(work: () => Promise<boolean>, count: number): Promise<void> {
    // Once is enough, and where the list is drawn anew the focus stays near.
    for (const button of body.querySelectorAll('button')) button.disabled = true
    body.focus()
    try {
      if (await work()) return restart()
      notify(t('users.ended', { count }), { kind: 'done' })
    } catch (error) {
      if (!isAbort(error)) notify(wordsOf(error), { kind: 'failed' })
    }
    void load()
  }

  reload()
  return body
}
